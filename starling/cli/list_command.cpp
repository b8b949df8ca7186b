#include "starling/cli/list_command.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/table.hpp"
#include "starling/collective/catalog.hpp"
#include "starling/core/error.hpp"
#include "starling/mixing/averager_catalog.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/simulation/platform_catalog.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::cli {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

/// One list in both of its forms.
struct Listing {
  Rows rows;  ///< the first one is the heading
  Json json = Json::array();
  std::string remark;  ///< below the table
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string needs(algorithm::Mixing mixing) {
  switch (mixing) {
    case algorithm::Mixing::none:
      return "none";
    case algorithm::Mixing::doubly_stochastic:
      return "doubly-stochastic";
    case algorithm::Mixing::push_sum:
      return "push-sum";
    case algorithm::Mixing::ceca:
      return "ceca";
  }
  return {};
}

Listing algorithms(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "MIXING", "OPTIONS", "WHAT IT DOES", "REFERENCE"});
  for (const algorithm::Entry& entry : algorithm::registry()) {
    list.rows.push_back(
        {entry.name, needs(entry.mixing), joined(entry.options), entry.summary, entry.reference});
    list.json.push_back({{"name", entry.name},
                         {"summary", entry.summary},
                         {"reference", entry.reference},
                         {"mixing", needs(entry.mixing)},
                         {"options", entry.options},
                         {"preserves_mean", entry.traits.preserves_mean},
                         {"exact", entry.traits.exact},
                         {"asynchronous", entry.traits.asynchronous},
                         {"needs_symmetric_topology", entry.traits.needs_symmetric_topology}});
  }
  return list;
}

template <class Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

void add_topology(Listing& list, const topology::CatalogEntry& entry, std::size_t peers) {
  Json json{{"name", entry.name}, {"summary", entry.summary}, {"valid", entry.valid}};
  std::vector<std::string> row{entry.name, entry.valid, "-", "-", "-", entry.summary};
  if (!entry.plain.empty()) {
    try {
      const auto made = topology::make_topology({.name = entry.plain, .peers = peers});
      const topology::Description described = topology::describe(*made);
      const auto gap = topology::gap_of_round(described);
      row[2] = fmt::format("{:.3g}", described.sends_mean);
      row[3] = gap ? fmt::format("{:.4f}", *gap) : "-";
      row[4] = described.exact_after ? std::to_string(*described.exact_after) : "-";
      json.update({{"peers", peers},
                   {"period", described.period},
                   {"symmetric", described.traits.symmetric},
                   {"sends_mean", described.sends_mean},
                   {"sends_max", described.sends_max},
                   {"spectral_gap", or_null(gap)},
                   {"period_norm", or_null(described.period_norm)},
                   {"exact_after", or_null(described.exact_after)}});
    } catch (const ConfigError& error) {
      row[3] = "no such shape";
      json.update({{"peers", peers}, {"refusal", error.what()}});
    }
  }
  list.rows.push_back(std::move(row));
  list.json.push_back(std::move(json));
}

Listing topologies(const CommandLine& line) {
  Listing list;
  list.rows.push_back({"NAME", "EXISTS FOR", "SENDS", "GAP", "EXACT AFTER", "WHO TALKS TO WHOM"});
  for (const topology::CatalogEntry& entry : topology::catalog()) {
    add_topology(list, entry, line.list_peers);
  }
  list.remark = fmt::format(
      "For {} peers. SENDS: messages of a peer in a round, mean. GAP: spectral gap of a round, 1 - "
      "beta; where\n"
      "rounds differ the mean one of the period, or 1 - sqrt(1 - p) with the expected rate p. "
      "EXACT "
      "AFTER: rounds\nuntil the mean is exact.",
      line.list_peers);
  return list;
}

Json parameters_json(const collective::CatalogEntry& entry) {
  Json json = Json::array();
  for (const collective::Parameter& each : entry.parameters()) {
    json.push_back({{"name", each.name},
                    {"form", each.form},
                    {"default", each.standard},
                    {"meaning", each.meaning}});
  }
  return json;
}

/// What the parameters mean; a line for each default, if algorithms differ in it.
std::string parameters_table() {
  std::vector<std::pair<collective::Parameter, std::vector<std::string>>> users;
  for (const collective::CatalogEntry& entry : collective::catalog()) {
    for (const collective::Parameter& each : entry.parameters()) {
      auto known = std::find_if(
          users.begin(), users.end(), [&](const auto& other) { return other.first == each; });
      if (known == users.end()) {
        known = users.insert(users.end(), {each, {}});
      }
      known->second.push_back(entry.name);
    }
  }
  Rows rows{{"PARAMETER", "IF LEFT OUT", "MEANING", "TAKEN BY"}};
  for (const auto& [parameter, names] : users) {
    rows.push_back({parameter.form, parameter.standard, parameter.meaning, joined(names)});
  }
  return aligned(rows);
}

Listing collectives(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "EXISTS FOR", "PARAMETERS", "OPERATIONS", "HOW"});
  for (const collective::CatalogEntry& entry : collective::catalog()) {
    const std::string forms = entry.parameter_forms();
    list.rows.push_back(
        {entry.name, entry.valid, forms.empty() ? "-" : forms, entry.operations(), entry.summary});
    list.json.push_back({{"name", entry.name},
                         {"summary", entry.summary},
                         {"valid", entry.valid},
                         {"operations", entry.operations()},
                         {"parameters", parameters_json(entry)}});
  }
  list.remark = parameters_table() +
                "\nParameters stand behind the name, a colon before each, in any order: "
                "multiported-torus:4x4x2:colors=2.";
  return list;
}

Listing averagers(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "OPTIONS", "WHAT IT DOES", "WITH ABSENT PEERS"});
  for (const mixing::AveragerEntry& entry : mixing::averager_catalog()) {
    list.rows.push_back({entry.name, joined(entry.options), entry.summary, entry.with_absent});
    list.json.push_back({{"name", entry.name},
                         {"summary", entry.summary},
                         {"with_absent", entry.with_absent},
                         {"options", entry.options}});
  }
  list.remark = "TOPOLOGY: any name of starling list topologies.";
  return list;
}

Listing mixings(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "USED BY"});
  std::map<std::string, std::vector<std::string>> users;
  for (const algorithm::Entry& entry : algorithm::registry()) {
    if (entry.mixing != algorithm::Mixing::none) {
      users[needs(entry.mixing)].push_back(entry.name);
    }
  }
  for (const auto& [name, algorithms] : users) {
    list.rows.push_back({name, joined(algorithms)});
    list.json.push_back({{"name", name}, {"used_by", algorithms}});
  }
  return list;
}

Listing codecs(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "WHAT IS SENT"});
  list.rows.push_back({"none", "the numbers as they are: 4 bytes each"});
  list.json.push_back({{"name", "none"}, {"summary", list.rows.back()[1]}});
  return list;
}

template <class Entries>
Listing catalog_of(const Entries& entries) {
  Listing list;
  list.rows.push_back({"NAME", "WHAT IT IS", "NEEDS"});
  for (const objective::CatalogEntry& entry : entries) {
    list.rows.push_back({entry.name, entry.summary, entry.needs_torch ? "libtorch" : "-"});
    list.json.push_back(
        {{"name", entry.name}, {"summary", entry.summary}, {"needs_torch", entry.needs_torch}});
  }
  return list;
}

Listing models(const CommandLine&) {
  return catalog_of(objective::model_catalog());
}

Listing data(const CommandLine&) {
  return catalog_of(objective::data_catalog());
}

Listing platforms_of_simulation(const CommandLine&) {
  Listing list;
  list.rows.push_back({"NAME", "WHAT IT IS"});
  for (const PlatformEntry& entry : kPlatformCatalog) {
    list.rows.push_back({std::string(entry.name), std::string(entry.summary)});
    list.json.push_back({{"name", entry.name}, {"summary", entry.summary}});
  }
  return list;
}

}  // namespace

std::string list_text(const CommandLine& line) {
  static const std::map<std::string, Listing (*)(const CommandLine&)> lists{
      {"algorithms", algorithms},
      {"topologies", topologies},
      {"collectives", collectives},
      {"averagers", averagers},
      {"mixings", mixings},
      {"codecs", codecs},
      {"models", models},
      {"data", data},
      {"platforms", platforms_of_simulation}};
  const Listing list = lists.at(line.list_kind)(line);
  if (line.list_json) {
    return list.json.dump(2) + "\n";
  }
  return aligned(list.rows) + (list.remark.empty() ? "" : "\n" + list.remark + "\n");
}

}  // namespace starling::cli
