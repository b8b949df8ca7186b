#include "starling/optimizer/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/span_math.hpp"
#include "starling/core/text.hpp"
#include "starling/optimizer/kernels.hpp"

namespace starling::optimizer {

namespace {

/// What all optimizers share: name, number of steps, the check of sizes.
class CountingOptimizer : public Optimizer {
 public:
  CountingOptimizer(const OptimizerOptions& options, std::size_t parameters)
      : options_(options), parameters_(parameters) {}

  [[nodiscard]] const std::string& name() const final { return options_.name; }

  void direction(std::span<const float> point, std::span<float> gradient) final {
    ensure(point.size() == parameters_ && gradient.size() == parameters_,
           "an optimizer keeps the size it was made for",
           parameters_,
           point.size(),
           gradient.size());
    ++steps_;
    turn(point, gradient);
  }

  [[nodiscard]] std::vector<StateVector> state() override { return {}; }

  [[nodiscard]] std::uint64_t steps() const final { return steps_; }

  void set_steps(std::uint64_t steps) final { steps_ = steps; }

 protected:
  [[nodiscard]] const OptimizerOptions& options() const { return options_; }

  /// The L2 term: g <- g + decay * x.
  void add_decay(std::span<const float> point, std::span<float> gradient) const {
    if (options_.weight_decay != 0.0F) {
      add_scaled(options_.weight_decay, point, gradient);
    }
  }

 private:
  virtual void turn(std::span<const float> point, std::span<float> gradient) = 0;

  OptimizerOptions options_;
  std::size_t parameters_;
  std::uint64_t steps_ = 0;
};

class Sgd final : public CountingOptimizer {
 public:
  using CountingOptimizer::CountingOptimizer;

 private:
  void turn(std::span<const float> point, std::span<float> gradient) override {
    add_decay(point, gradient);
  }
};

/// The two methods with one velocity differ in their last line only.
template <void (*kernel)(float, std::span<float>, std::span<float>)>
class WithVelocity final : public CountingOptimizer {
 public:
  WithVelocity(const OptimizerOptions& options, std::size_t parameters)
      : CountingOptimizer(options, parameters), velocity_(parameters, 0.0F) {}

  [[nodiscard]] std::vector<StateVector> state() override { return {{"momentum", velocity_}}; }

 private:
  void turn(std::span<const float> point, std::span<float> gradient) override {
    add_decay(point, gradient);
    kernel(options().momentum, velocity_, gradient);
  }

  std::vector<float> velocity_;
};

/// Adam with decoupled weight decay (arXiv:1412.6980, Alg. 1; arXiv:1711.05101, Alg. 2).
class Adam final : public CountingOptimizer {
 public:
  Adam(const OptimizerOptions& options, std::size_t parameters)
      : CountingOptimizer(options, parameters),
        first_moment_(parameters, 0.0F),
        second_moment_(parameters, 0.0F) {}

  [[nodiscard]] std::vector<StateVector> state() override {
    return {{"first_moment", first_moment_}, {"second_moment", second_moment_}};
  }

 private:
  void turn(std::span<const float> point, std::span<float> gradient) override {
    const kernels::AdamStep step{.beta1 = options().beta1,
                                 .beta2 = options().beta2,
                                 .epsilon = options().epsilon,
                                 .correction1 = correction(options().beta1),
                                 .correction2 = correction(options().beta2)};
    kernels::adam(step, first_moment_, second_moment_, gradient);
    add_decay(point, gradient);
  }

  [[nodiscard]] float correction(float beta) const {
    return static_cast<float>(1.0 - std::pow(double{beta}, static_cast<double>(steps())));
  }

  std::vector<float> first_moment_;
  std::vector<float> second_moment_;
};

template <class Method>
std::unique_ptr<Optimizer> make(const OptimizerOptions& options, std::size_t parameters) {
  return std::make_unique<Method>(options, parameters);
}

struct Line {
  const char* name;
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions&, std::size_t);
};

constexpr std::array kLines = {
    Line{"sgd", make<Sgd>},
    Line{"momentum", make<WithVelocity<kernels::heavy_ball>>},
    Line{"nesterov", make<WithVelocity<kernels::nesterov>>},
    Line{"adam", make<Adam>},
};

void check(bool in_range, const char* option, float value, const char* expected) {
  if (in_range) {
    return;
  }
  std::ostringstream text;
  text << "optimizer: " << option << " is " << value << ", expected " << expected;
  throw ConfigError(text.str());
}

void validate(const OptimizerOptions& options) {
  // Written so that NaN fails every comparison.
  const auto fraction = [](float value) { return value >= 0.0F && value < 1.0F; };
  check(fraction(options.momentum), "momentum", options.momentum, "0 <= momentum < 1");
  check(fraction(options.beta1), "beta1", options.beta1, "0 <= beta1 < 1");
  check(fraction(options.beta2), "beta2", options.beta2, "0 <= beta2 < 1");
  check(options.epsilon > 0.0F && std::isfinite(options.epsilon),
        "epsilon",
        options.epsilon,
        "a positive number");
  check(options.weight_decay >= 0.0F && std::isfinite(options.weight_decay),
        "weight decay",
        options.weight_decay,
        "a number that is not negative");
}

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::size_t parameters) {
  validate(options);
  const auto line = std::find_if(
      kLines.begin(), kLines.end(), [&](const Line& l) { return options.name == l.name; });
  if (line != kLines.end()) {
    return line->make(options, parameters);
  }
  std::vector<std::string> names;
  names.reserve(kLines.size());
  for (const Line& known : kLines) {
    names.emplace_back(known.name);
  }
  throw ConfigError("optimizer: there is no '" + options.name + "'" +
                    suggestion(options.name, names));
}

}  // namespace starling::optimizer
