// How the table of options is put together, section by section.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "starling/cli/option.hpp"
#include "starling/cli/option_rules.hpp"

namespace starling::cli {

/// Collects options; each belongs to the section begun last.
class OptionTable {
 public:
  void begin_section(std::string name) { section_ = std::move(name); }

  void add(Option option) {
    option.section = section_;
    options_.push_back(std::move(option));
  }

  [[nodiscard]] std::vector<Option> take() { return std::move(options_); }

 private:
  std::string section_;
  std::vector<Option> options_;
};

void add_run_options(OptionTable& table);
void add_learning_options(OptionTable& table);
void add_surrounding_options(OptionTable& table);
void add_average_options(OptionTable& table);
void add_bench_options(OptionTable& table);

// What several commands have, in the section that is open.
/// on, peers, seed. @param seed_refusal where nothing is drawn
void add_world_options(OptionTable& table, Refusal seed_refusal = {});
void add_wait_options(OptionTable& table);  ///< timeout, slow-warning
void add_platform_option(OptionTable& table);
/// out, overwrite. @param files what the folder gets
void add_folder_options(OptionTable& table, const std::string& files, Refusal overwrite_refusal);
/// json, quiet, verbose.
void add_show_options(
    OptionTable& table,
    const std::string& json_help = "print the summary as JSON instead of a table");

}  // namespace starling::cli
