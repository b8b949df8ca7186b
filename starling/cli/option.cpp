#include "starling/cli/option.hpp"

#include <algorithm>

#include "starling/cli/option_table.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

std::span<const Option> options() {
  static const std::vector<Option> table = [] {
    OptionTable sections;
    add_run_options(sections);
    add_learning_options(sections);
    add_surrounding_options(sections);
    return sections.take();
  }();
  return table;
}

const Option* find_option(std::string_view name) {
  const auto table = options();
  const auto found = std::find_if(
      table.begin(), table.end(), [&](const Option& option) { return option.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string suggest_option(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '_', '-');
  std::vector<std::string> words;
  std::vector<const Option*> owners;
  for (const Option& option : options()) {
    words.push_back(option.name);
    owners.push_back(&option);
    for (const std::string& synonym : option.synonyms) {
      words.push_back(synonym);
      owners.push_back(&option);
    }
  }
  const auto nearest = nearest_name(word, words);
  if (!nearest) {
    return "; see starling train --help";
  }
  const auto at = std::find(words.begin(), words.end(), *nearest) - words.begin();
  return "; did you mean '" + owners[static_cast<std::size_t>(at)]->name + "'?";
}

}  // namespace starling::cli
