#include "starling/cli/checks.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/worlds.hpp"
#include "starling/collective/catalog.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/mixing/averager_catalog.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/partition.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/grid_groups.hpp"

namespace starling::cli {

namespace {

Source source_of(const Effective& effective, const std::string& option) {
  const auto found = effective.sources.find(option);
  return found == effective.sources.end() ? Source{} : found->second;
}

bool has_finding(const Effective& effective, const std::string& option) {
  return std::any_of(effective.findings.begin(),
                     effective.findings.end(),
                     [&](const Finding& finding) { return finding.key == option; });
}

/// The first word of `name` against the first words of a table.
template <class Entries, class NameOf>
void check_in_table(Effective& effective,
                    const std::string& option,
                    const std::string& name,
                    const Entries& entries,
                    NameOf name_of) {
  std::vector<std::string> words;
  for (const auto& entry : entries) {
    words.push_back(split(name_of(entry), ':').front());
  }
  const std::string word = split(name, ':').front();
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    return;
  }
  effective.findings.push_back({source_of(effective, option),
                                option,
                                "'" + name + "' is unknown" + suggestion(word, words)});
}

/// The topology as the algorithm will use it, or the ports of one that has partners of its own; for
/// algorithms without a topology, that its name is right.
void check_topology(Effective& effective, const algorithm::Entry& entry) {
  const trainer::Experiment& experiment = effective.settings.experiment;
  const algorithm::AlgorithmOptions& options = experiment.algorithm_options;
  if (entry.mixing != algorithm::Mixing::none) {
    check(effective, entry.mixing == algorithm::Mixing::ceca ? "ports" : "topology", [&] {
      algorithm::make_mixing(entry, options, experiment.peers, experiment.seed);
    });
  }
  if (entry.default_topology.empty() && effective.sources.contains("topology")) {
    check(effective, "topology", [&] {
      topology::make_topology({.name = options.topology,
                               .weights = options.weights,
                               .peers = experiment.peers,
                               .seed = experiment.seed});
    });
  }
}

void check_collective(Effective& effective, const std::string& name) {
  if (name != "auto") {
    check(effective, "collective", [&] {
      collective::find_algorithm(name, collective::Operation::all_reduce);
    });
  }
}

void check_algorithm(Effective& effective) {
  const std::string& name = effective.settings.experiment.algorithm;
  const algorithm::Entry* entry = nullptr;
  check(effective, "algorithm", [&] { entry = &algorithm::find_algorithm(name); });
  if (entry != nullptr) {
    check_topology(effective, *entry);
  }
  check_collective(effective, effective.settings.experiment.algorithm_options.collective);
}

void check_optimizer(Effective& effective) {
  const trainer::Experiment& experiment = effective.settings.experiment;
  check(effective, "optimizer", [&] { optimizer::make_optimizer(experiment.optimizer, 0); });
  if (has_finding(effective, "lr-drop-at")) {
    return;  // it would be missed below, too
  }
  check(effective, "lr-schedule", [&] {
    // The trainer knows the length of the run; here any will do that the drops and the warm-up fit
    // in.
    optimizer::LearningRateOptions options = experiment.learning_rate;
    options.total_steps = experiment.steps.value_or(options.warmup_steps + 1);
    optimizer::LearningRate{options};
  });
}

void settle_length(Effective& effective) {
  auto& experiment = effective.settings.experiment;
  const auto steps = effective.sources.find("steps");
  const auto epochs = effective.sources.find("epochs");
  if (steps != effective.sources.end() && epochs != effective.sources.end()) {
    effective.findings.push_back(
        {steps->second,
         "steps",
         "and epochs (" + epochs->second.text() + ") are both given; keep one"});
  }
  if (steps == effective.sources.end() && epochs == effective.sources.end()) {
    experiment.epochs = 1.0;
  }
}

void check_injections(Effective& effective) {
  const trainer::Experiment& experiment = effective.settings.experiment;
  for (const trainer::Injection& one : experiment.injections) {
    if (one.peer < experiment.peers) {
      continue;
    }
    effective.findings.push_back({source_of(effective, "inject"),
                                  "inject",
                                  "names peer " + std::to_string(one.peer) + " of " +
                                      std::to_string(experiment.peers) + ", counted from 0"});
  }
}

}  // namespace

void check(Effective& effective, const std::string& option, const std::function<void()>& make) {
  try {
    make();
  } catch (const ConfigError& error) {
    std::string what = error.what();
    // The rooms name the part first; here the key stands there already.
    for (const std::string& prefix : {option + ": ", option + " "}) {
      if (what.starts_with(prefix)) {
        what.erase(0, prefix.size());
      }
    }
    effective.findings.push_back({source_of(effective, option), option, what});
  }
}

void check_train(Effective& effective) {
  settle_length(effective);
  const trainer::Experiment& experiment = effective.settings.experiment;
  const auto name_of = [](const auto& entry) { return entry.name; };
  check_algorithm(effective);
  check(effective, "model", [&] { objective::check_model(experiment.model); });
  check_in_table(effective, "data", experiment.data, objective::data_catalog(), name_of);
  check_in_table(effective,
                 "partition",
                 experiment.partition,
                 objective::partition_schemes(),
                 [](const auto& scheme) { return scheme.usage; });
  check_optimizer(effective);
  check_injections(effective);
  check_world(effective);
}

void check_average(Effective& effective) {
  const mixing::AveragerOptions options = averaging_of(effective.settings).averager;
  const std::size_t before = effective.findings.size();
  check_collective(effective, options.collective);
  if (!options.grid.empty()) {
    check(effective, "grid", [&] { topology::parse_grid(options.grid, options.peers); });
  }
  if (effective.findings.size() == before) {
    check(effective, "averager", [&] { mixing::prepare_averager(options); });
  }
  check_world(effective);
}

void check_bench(Effective& effective) {
  check_world(effective);
  const std::filesystem::path folder = effective.settings.bench.plot.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    effective.findings.push_back(
        {source_of(effective, "plot"), "plot", "there is no folder " + folder.string()});
  }
  if (!effective.findings.empty()) {
    return;  // of the network, or of values that were not taken
  }
  try {
    timing_of(effective.settings).validate(torus_of(effective.settings));
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    const std::string part = what.substr(0, what.find(": "));
    const bool names_option = effective.options->find(part) != nullptr;
    const std::string rest = what.starts_with("collective: ") ? what.substr(part.size() + 2) : what;
    check(effective, names_option ? part : "algorithm", [&] { throw ConfigError(rest); });
  }
}

}  // namespace starling::cli
