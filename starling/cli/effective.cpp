#include "starling/cli/effective.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace starling::cli {

namespace {

bool gives(const Reading& reading, std::string_view name) {
  return std::any_of(reading.assignments.begin(),
                     reading.assignments.end(),
                     [&](const Assignment& one) { return one.option->name == name; });
}

void apply(Effective& effective, const Assignment& one) {
  const std::string wrong = one.option->set(effective.settings, one.value);
  if (!wrong.empty()) {
    effective.findings.push_back({one.source, one.option->name, wrong});
  }
  effective.sources[one.option->name] = one.source;
}

/// The length of a run is one value with two names: on the command line either replaces the file's.
bool is_replaced(const Assignment& one, const Reading& command_line) {
  const std::string& name = one.option->name;
  return (name == "steps" && gives(command_line, "epochs")) ||
         (name == "epochs" && gives(command_line, "steps"));
}

void refuse_without_effect(Effective& effective) {
  for (const Option& option : effective.options->all()) {
    const auto source = effective.sources.find(option.name);
    if (source == effective.sources.end() || !option.refusal) {
      continue;
    }
    const std::string why = option.refusal(effective.settings);
    if (!why.empty()) {
      effective.findings.push_back({source->second, option.name, why});
    }
  }
}

}  // namespace

Effective resolve(const OptionSet& options, const Reading& file, const Reading& command_line) {
  Effective effective{.options = &options, .settings = {}, .sources = {}, .findings = {}};
  effective.findings = file.findings;
  std::copy(command_line.findings.begin(),
            command_line.findings.end(),
            std::back_inserter(effective.findings));
  for (const Assignment& one : file.assignments) {
    if (!is_replaced(one, command_line)) {
      apply(effective, one);
    }
  }
  for (const Assignment& one : command_line.assignments) {
    apply(effective, one);
  }
  options.check(effective);
  refuse_without_effect(effective);
  std::stable_sort(
      effective.findings.begin(), effective.findings.end(), [](const Finding& a, const Finding& b) {
        return a.source.line < b.source.line;
      });
  return effective;
}

std::string to_toml(const Effective& effective) {
  std::string text;
  std::string section;
  for (const Option& option : effective.options->all()) {
    const std::string value = option.show(effective.settings);
    // An option without effect would be refused when the text is read again.
    if (value.empty() || (option.refusal && !option.refusal(effective.settings).empty())) {
      continue;
    }
    if (option.section != section) {
      section = option.section;
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    const auto source = effective.sources.find(option.name);
    const Source from = source == effective.sources.end() ? Source{} : source->second;
    text += fmt::format("{:<40} # {}\n", option.name + " = " + value, from.text());
  }
  return text;
}

std::string lasting_toml(Effective effective) {
  effective.settings.show.overwrite = false;
  return to_toml(effective);
}

}  // namespace starling::cli
