#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "starling/core/error.hpp"
#include "starling/core/regular_file.hpp"
#include "starling/core/text.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/quantity.hpp"

namespace starling::simulation {

namespace {

/// The keys a kind of fault needs, and those it may have, besides kind.
struct Form {
  std::string name;
  Fault::Kind kind;
  std::vector<std::string> needed;
  std::vector<std::string> optional;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> table{
      {"kill", Fault::Kind::kill, {"peer", "from"}, {"until"}},
      {"pause", Fault::Kind::pause, {"peer", "until"}, {"from"}},
      {"slow", Fault::Kind::slow, {"peer", "factor"}, {"from", "until"}},
      {"link-down", Fault::Kind::link_down, {"peer"}, {"other", "from", "until"}},
      {"delay", Fault::Kind::delay, {"by"}, {"peer", "other", "from", "until", "probability"}},
  };
  return table;
}

class Reader {
 public:
  Reader(const std::string& path, std::size_t peers) : path_(path), peers_(peers) {}

  [[noreturn]] void refuse(const toml::node* where, const std::string& finding) const {
    std::string place = "faults file '" + path_ + "'";
    if (where != nullptr && where->source().begin.line > 0) {
      place += ", line " + std::to_string(where->source().begin.line);
    }
    throw ConfigError(place + ": " + finding);
  }

  void check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        refuse(&value, "unknown key '" + name + "'" + suggestion(name, known));
      }
    }
  }

  [[nodiscard]] Fault fault(const toml::table& table) const {
    const Form& form = form_of(table);
    std::vector<std::string> known{"kind"};
    known.insert(known.end(), form.needed.begin(), form.needed.end());
    known.insert(known.end(), form.optional.begin(), form.optional.end());
    check_keys(table, known);
    for (const std::string& key : form.needed) {
      if (!table.contains(key)) {
        refuse(&table, "a '" + form.name + "' needs '" + key + "'");
      }
    }
    Fault fault;
    fault.kind = form.kind;
    fault.peer = peer(table, "peer");
    fault.other = peer(table, "other");
    fault.from = Time{} + time(table, "from").value_or(Duration{});
    if (const auto until = time(table, "until")) {
      fault.until = Time{} + *until;
    }
    fault.by = time(table, "by").value_or(Duration{});
    fault.factor = number(table, "factor", 1e-6, 1e6).value_or(1.0);
    fault.probability = number(table, "probability", 0.0, 1.0).value_or(1.0);
    check_sense(table, fault);
    return fault;
  }

 private:
  [[nodiscard]] const Form& form_of(const toml::table& table) const {
    std::vector<std::string> names;
    for (const Form& form : forms()) {
      names.push_back(form.name);
    }
    const auto kind = table["kind"].value<std::string>();
    if (!kind) {
      refuse(&table, "a fault needs a 'kind'" + suggestion("", names));
    }
    for (const Form& form : forms()) {
      if (form.name == *kind) {
        return form;
      }
    }
    refuse(table.get("kind"), "unknown kind '" + *kind + "'" + suggestion(*kind, names));
  }

  [[nodiscard]] std::optional<PeerId> peer(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto rank = node->value_exact<std::int64_t>();
    if (!rank || *rank < 0 || static_cast<std::uint64_t>(*rank) >= peers_) {
      refuse(node, "'" + std::string(key) + "' must be a peer, 0 to " + std::to_string(peers_ - 1));
    }
    return PeerId{static_cast<std::uint64_t>(*rank)};
  }

  [[nodiscard]] std::optional<Duration> time(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto text = node->value_exact<std::string>();
    const auto plain = node->is_number() ? node->value<double>() : std::nullopt;
    const auto parsed = text    ? parse_duration(*text)
                        : plain ? checked_seconds(*plain)
                                : std::nullopt;
    if (!parsed) {
      refuse(node, "'" + std::string(key) + "' must be seconds or a time like \"100ms\"");
    }
    return parsed;
  }

  [[nodiscard]] std::optional<double> number(const toml::table& table,
                                             std::string_view key,
                                             double least,
                                             double most) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value >= least && *value <= most)) {
      refuse(node,
             "'" + std::string(key) + "' must be a number from " + std::to_string(least) + " to " +
                 std::to_string(most));
    }
    return value;
  }

  void check_sense(const toml::table& table, const Fault& fault) const {
    if (fault.until <= fault.from) {
      refuse(&table, "it must end after it begins");
    }
    if (fault.other && fault.other == fault.peer) {
      refuse(table.get("other"), "'peer' and 'other' must differ");
    }
    if (fault.other && !fault.peer) {
      refuse(table.get("other"), "'other' needs 'peer'");
    }
  }

  std::string path_;
  std::size_t peers_;
};

toml::table parse(const Reader& reader, const std::string& path) {
  constexpr std::size_t kBytesMax = std::size_t{16} << 20U;  // a hundred thousand faults fit in
  std::string wrong;
  const auto content = read_regular_file(path, kBytesMax, wrong);
  if (!content) {
    reader.refuse(nullptr, wrong);
  }
  try {
    return toml::parse(*content, path);
  } catch (const toml::parse_error& error) {
    throw ConfigError("faults file '" + path + "', line " +
                      std::to_string(error.source().begin.line) + ": " +
                      std::string(error.description()));
  }
}

}  // namespace

FaultPlan plan_file(const std::string& path, const FaultDraw& draw) {
  const Reader reader(path, draw.peers);
  const toml::table table = parse(reader, path);
  reader.check_keys(table, {"rates", "fault"});
  FaultPlan plan;
  if (const toml::node* rates = table.get("rates")) {
    const auto text = rates->value_exact<std::string>();
    if (!text) {
      reader.refuse(rates, "'rates' must be a text like \"kill:0.01\"");
    }
    try {
      plan = plan_rates(*text, draw);
    } catch (const ConfigError& error) {
      reader.refuse(rates, error.what());
    }
  }
  const toml::node* list = table.get("fault");
  if (list == nullptr) {
    return plan;
  }
  const toml::array* faults = list->as_array();
  if (faults == nullptr) {
    reader.refuse(list, "faults are written [[fault]]");
  }
  for (const toml::node& item : *faults) {
    const toml::table* fault = item.as_table();
    if (fault == nullptr) {
      reader.refuse(&item, "faults are written [[fault]]");
    }
    plan.faults.push_back(reader.fault(*fault));
  }
  return plan;
}

}  // namespace starling::simulation
