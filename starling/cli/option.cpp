#include "starling/cli/option.hpp"

#include <algorithm>
#include <utility>

#include "starling/cli/checks.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

OptionSet::OptionSet(std::string command,
                     std::vector<Option> options,
                     Check check_all,
                     std::string bare)
    : command_(std::move(command)),
      options_(std::move(options)),
      check_(check_all),
      bare_(std::move(bare)) {}

const Option* OptionSet::find(std::string_view name) const {
  const auto found = std::find_if(
      options_.begin(), options_.end(), [&](const Option& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

std::string OptionSet::suggest(std::string_view name) const {
  std::string word(name);
  std::replace(word.begin(), word.end(), '_', '-');
  std::vector<std::string> words;
  std::vector<const Option*> owners;
  for (const Option& option : options_) {
    words.push_back(option.name);
    owners.push_back(&option);
    for (const std::string& synonym : option.synonyms) {
      words.push_back(synonym);
      owners.push_back(&option);
    }
  }
  const auto nearest = nearest_name(word, words);
  if (!nearest) {
    return "; see starling " + command_ + " --help";
  }
  const auto at = std::find(words.begin(), words.end(), *nearest) - words.begin();
  return "; did you mean '" + owners[static_cast<std::size_t>(at)]->name + "'?";
}

const OptionSet& train_options() {
  static const OptionSet set = [] {
    OptionTable sections;
    add_run_options(sections);
    add_learning_options(sections);
    add_surrounding_options(sections);
    return OptionSet("train", sections.take(), check_train);
  }();
  return set;
}

const OptionSet& average_options() {
  static const OptionSet set = [] {
    OptionTable sections;
    add_average_options(sections);
    return OptionSet("average", sections.take(), check_average);
  }();
  return set;
}

const OptionSet& bench_options() {
  static const OptionSet set = [] {
    OptionTable sections;
    add_bench_options(sections);
    return OptionSet("bench", sections.take(), check_bench, "operation");
  }();
  return set;
}

}  // namespace starling::cli
