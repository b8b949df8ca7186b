#include "starling/optimizer/learning_rate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::optimizer {

namespace {

double constant(const LearningRateOptions&, std::uint64_t) {
  return 1.0;
}

/// drop_factor to the power of the drops that have been reached.
double step_down(const LearningRateOptions& options, std::uint64_t step) {
  double factor = 1.0;
  for (const double at : options.drop_at) {
    const double drop_step = at <= 1.0 ? at * static_cast<double>(options.total_steps) : at;
    if (static_cast<double>(step) >= drop_step) {
      factor *= options.drop_factor;
    }
  }
  return factor;
}

/// final + (1 - final) (1 + cos(pi t)) / 2, t from 0 after warm-up to 1 at total_steps
/// (arXiv:1608.03983).
double cosine(const LearningRateOptions& options, std::uint64_t step) {
  if (step >= options.total_steps) {
    return options.final_fraction;
  }
  if (step <= options.warmup_steps) {
    return 1.0;
  }
  const double t = static_cast<double>(step - options.warmup_steps) /
                   static_cast<double>(options.total_steps - options.warmup_steps);
  const double fall = (1.0 + std::cos(std::numbers::pi * t)) / 2.0;
  return options.final_fraction + (1.0 - options.final_fraction) * fall;
}

[[noreturn]] void refuse(const char* option, double value, const char* expected) {
  std::ostringstream text;
  text << "learning rate: " << option << " is " << value << ", expected " << expected;
  throw ConfigError(text.str());
}

void need_total_steps(const LearningRateOptions& options, const char* why) {
  if (options.total_steps == 0) {
    refuse("total_steps", 0.0, why);
  }
}

void check_constant(const LearningRateOptions&) {}

void check_step(const LearningRateOptions& options) {
  if (options.drop_at.empty()) {
    throw ConfigError(
        "learning rate: schedule 'step' needs at least one place to drop at; give --lr-drop-at");
  }
  for (const double at : options.drop_at) {
    if (!(at > 0.0) || !std::isfinite(at)) {
      refuse("drop_at", at, "a fraction of the run up to 1 or a step above 1");
    }
    if (at <= 1.0) {
      need_total_steps(options, "the length of the run, for drops at a fraction");
    }
  }
  if (!(options.drop_factor > 0.0) || !std::isfinite(options.drop_factor)) {
    refuse("drop_factor", options.drop_factor, "a positive number");
  }
}

void check_cosine(const LearningRateOptions& options) {
  need_total_steps(options, "the length of the run, for schedule 'cosine'");
  if (!(options.final_fraction >= 0.0) || !(options.final_fraction <= 1.0)) {
    refuse("final_fraction", options.final_fraction, "0 <= final_fraction <= 1");
  }
}

struct Line {
  const char* name;
  double (*shape)(const LearningRateOptions&, std::uint64_t);
  void (*check)(const LearningRateOptions&);
};

constexpr std::array kLines = {
    Line{"constant", constant, check_constant},
    Line{"step", step_down, check_step},
    Line{"cosine", cosine, check_cosine},
};

const Line& find_schedule(const std::string& name) {
  const auto* const line =
      std::find_if(kLines.begin(), kLines.end(), [&](const Line& l) { return name == l.name; });
  if (line != kLines.end()) {
    return *line;
  }
  std::vector<std::string> names;
  names.reserve(kLines.size());
  for (const Line& known : kLines) {
    names.emplace_back(known.name);
  }
  throw ConfigError("learning rate: there is no schedule '" + name + "'" + suggestion(name, names));
}

}  // namespace

bool follows_length(const LearningRateOptions& options) {
  const bool drops_at_a_fraction = std::any_of(
      options.drop_at.begin(), options.drop_at.end(), [](double at) { return at <= 1.0; });
  return options.schedule == "cosine" || (options.schedule == "step" && drops_at_a_fraction);
}

LearningRate::LearningRate(const LearningRateOptions& options)
    : options_(options), shape_(find_schedule(options.schedule).shape) {
  if (!(options.base >= 0.0F) || !std::isfinite(options.base)) {
    refuse("base", options.base, "a number that is not negative");
  }
  find_schedule(options.schedule).check(options);
}

float LearningRate::at(std::uint64_t step) const {
  double rate = double{options_.base} * shape_(options_, step);
  if (step < options_.warmup_steps) {
    rate *= static_cast<double>(step + 1) / static_cast<double>(options_.warmup_steps);
  }
  return static_cast<float>(rate);
}

}  // namespace starling::optimizer
