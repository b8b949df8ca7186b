#include "starling/cli/option_rules.hpp"

#include <algorithm>
#include <utility>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/option_values.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/mixing/averager_catalog.hpp"
#include "starling/objective/catalog.hpp"

namespace starling::cli {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  }
  return text;
}

std::string has_no_effect(const std::string& with, const std::vector<std::string>& takers) {
  return "has no effect with " + with + "; " + joined(takers) +
         (takers.size() == 1 ? " takes it" : " take it");
}

bool has(collective::Operation operation, Part part) {
  using collective::Operation;
  switch (part) {
    case Part::vector:
      return operation != Operation::barrier;
    case Part::reduction:
      return reduces(operation);
    case Part::root:
      break;
  }
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::scatter || operation == Operation::gather;
}

/// Names from `takers` only; what the chosen name is called stands before it.
Refusal only_for(std::string part,
                 std::vector<std::string> takers,
                 std::function<std::string(const Settings&)> chosen) {
  return [part = std::move(part), takers = std::move(takers), chosen = std::move(chosen)](
             const Settings& settings) {
    const std::string name = split(chosen(settings), ':').front();
    return contains(takers, name) ? "" : has_no_effect(part + " " + name, takers);
  };
}

}  // namespace

Refusal only_in_simulation() {
  return [](const Settings& settings) {
    return settings.world.on == WorldKind::simulation ? ""
                                                      : has_no_effect("on threads", {"on sim"});
  };
}

Refusal only_on_threads() {
  return [](const Settings& settings) {
    return settings.world.on == WorldKind::threads ? "" : has_no_effect("on sim", {"on threads"});
  };
}

Refusal only_where_the_network_is_drawn() {
  return [](const Settings& settings) -> std::string {
    const bool is_drawn = settings.world.on == WorldKind::simulation &&
                          split(settings.world.platform, ':').front() == "wan";
    return is_drawn ? "" : "has no effect: nothing is drawn but the links of on sim, platform wan";
  };
}

Refusal only_for_operations_with(Part part) {
  return [part](const Settings& settings) {
    using collective::Operation;
    std::vector<std::string> takers;
    bool takes = false;
    for (std::size_t k = 0; k < collective::kOperations; ++k) {
      const auto operation = static_cast<Operation>(k);
      if (has(operation, part)) {
        takers.emplace_back(to_string(operation));
        takes = takes || operation == settings.timing.operation;
      }
    }
    return takes ? ""
                 : has_no_effect(std::string("operation ") + to_string(settings.timing.operation),
                                 takers);
  };
}

Refusal only_for_algorithms_with(std::string option) {
  return [option = std::move(option)](const Settings& settings) {
    std::vector<std::string> takers;
    bool known = false;
    for (const algorithm::Entry& entry : algorithm::registry()) {
      known = known || entry.name == settings.experiment.algorithm;
      if (contains(entry.options, option)) {
        takers.push_back(entry.name);
      }
    }
    // An unknown algorithm is a finding of its own; nobody knows what it would take.
    const bool takes = !known || contains(takers, settings.experiment.algorithm);
    return takes ? "" : has_no_effect("algorithm " + settings.experiment.algorithm, takers);
  };
}

Refusal only_for_averagers_with(std::string option) {
  return [option = std::move(option)](const Settings& settings) -> std::string {
    const std::string& name = settings.averaging.averager.name;
    std::vector<std::string> takers;
    for (const mixing::AveragerEntry& entry : mixing::averager_catalog()) {
      if (contains(entry.options, option)) {
        takers.push_back(entry.name);
      }
    }
    try {
      const bool takes = contains(takers, mixing::find_averager(name).name);
      return takes ? "" : has_no_effect("averager " + name, takers);
    } catch (const ConfigError&) {
      return "";  // an unknown averager is a finding of its own; nobody knows what it would take
    }
  };
}

Refusal only_for_optimizers(std::vector<std::string> names) {
  return only_for("optimizer", std::move(names), [](const Settings& settings) {
    return settings.experiment.optimizer.name;
  });
}

Refusal only_for_schedules(std::vector<std::string> names) {
  return only_for("lr-schedule", std::move(names), [](const Settings& settings) {
    return settings.experiment.learning_rate.schedule;
  });
}

Refusal only_for_models(std::vector<std::string> names) {
  return only_for("model", std::move(names), [](const Settings& settings) {
    return settings.experiment.model;
  });
}

Refusal only_for_models_with_data() {
  return [](const Settings& settings) {
    const std::string name = split(settings.experiment.model, ':').front();
    std::vector<std::string> takers;
    bool known = false;
    for (const objective::CatalogEntry& entry : objective::model_catalog()) {
      const std::string word = split(entry.name, ':').front();
      known = known || word == name;
      if (entry.needs_data) {
        takers.push_back(word);
      }
    }
    return !known || contains(takers, name) ? "" : has_no_effect("model " + name, takers);
  };
}

Refusal only_for_models_with_data_unless_none() {
  return [refusal = only_for_models_with_data()](const Settings& settings) {
    return settings.experiment.data == "none" ? "" : refusal(settings);
  };
}

Refusal only_with_folder() {
  return [](const Settings& settings) -> std::string {
    const auto& experiment = settings.experiment;
    const bool has_folder = !experiment.out.empty() || !experiment.checkpoint.directory.empty();
    return has_folder ? "" : "has no effect without a folder; add --out or --checkpoint-dir";
  };
}

Refusal only_with_result_folder() {
  return [](const Settings& settings) -> std::string {
    return settings.experiment.out.empty() ? "has no effect without a folder; add --out" : "";
  };
}

Refusal only_with_out() {
  return [](const Settings& settings) -> std::string {
    return settings.experiment.out.empty()
               ? "has no effect without --out, where metrics.jsonl would take it"
               : "";
  };
}

Refusal only_with_checkpoints() {
  return [folder = only_with_folder()](const Settings& settings) -> std::string {
    const auto& experiment = settings.experiment;
    std::string why = folder(settings);
    if (!why.empty() || experiment.checkpoint.every > 0 || !experiment.resume.empty()) {
      return why;
    }
    return "has no effect without --checkpoint-every: an interrupt saves one checkpoint";
  };
}

Refusal only_with_folder_afresh() {
  return [folder = only_with_folder()](const Settings& settings) -> std::string {
    return settings.experiment.resume.empty() || !settings.show.overwrite
               ? folder(settings)
               : "has no effect with --resume, which goes on with the files that are there";
  };
}

Refusal only_below_timeout() {
  return [](const Settings& settings) -> std::string {
    const double limit = settings.experiment.timeout_seconds;
    return settings.experiment.slow_warning_seconds < limit
               ? ""
               : "has no effect: no wait lasts longer than timeout, " + toml_real(limit) + " s";
  };
}

Refusal only_if_not_quiet() {
  return [](const Settings& settings) -> std::string {
    return settings.show.quiet && settings.show.verbose ? "and quiet exclude each other; keep one"
                                                        : "";
  };
}

}  // namespace starling::cli
