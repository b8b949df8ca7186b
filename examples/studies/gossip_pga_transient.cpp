// The transient stage of Gossip-PGA (arXiv:2105.09080, section 5.1): logistic regression on a ring,
// every peer with its own x*. Prints, for each number of peers, after how many iterations each
// method has caught up with parallel SGD for good, and writes the mean curves of ||mean(x) - x*||^2
// as CSV.
//
//   gossip_pga_transient [peers=20,50,100] [steps=4000] [repetitions=20] [period=16] [rate=0.2]
//                        [batch=4] [samples=8000] [data=noniid] [csv=FILE]
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "starling/algorithm/registry.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/logistic_optimum.hpp"
#include "starling/trainer/train.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace {

using namespace starling;

constexpr std::uint64_t kEvery = 10;  // iterations between two points of a curve
constexpr std::size_t kWindow = 20;   // points a smoothed value is the mean of
constexpr double kCaughtUp = 1.1;     // times the error of parallel SGD

struct Setting {
  std::vector<std::size_t> peers{20, 50, 100};
  std::uint64_t steps = 4000;
  std::uint64_t repetitions = 20;
  std::uint64_t period = 16;
  float rate = 0.2F;
  std::size_t batch = 4;
  std::size_t samples = 8000;
  std::string data = "noniid";
  std::string csv;
};

struct Method {
  std::string label;
  std::string algorithm;
  std::string topology;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all{{"parallel SGD", "allreduce-sgd", ""},
                                       {"Gossip-PGA", "gossip-pga", "ring"},
                                       {"Gossip SGD", "dsgd", "ring"},
                                       {"Local SGD", "local-sgd", "full"}};
  return all;
}

using Curve = std::vector<double>;  // one value every kEvery iterations

/// Adds up the models of a step as they come in; with the last one the error of their mean is
/// known.
class MeanTrace : public Observer {
 public:
  MeanTrace(std::size_t peers, std::vector<double> optimum)
      : peers_(peers), optimum_(std::move(optimum)) {}

  void on_event(const Event& event) override {
    const auto* snapshot = std::get_if<ModelSnapshot>(&event.what);
    if (snapshot == nullptr) {
      return;
    }
    const std::lock_guard lock(mutex_);
    Open& open = open_[snapshot->step];
    open.sum.resize(optimum_.size());
    for (std::size_t k = 0; k < optimum_.size(); ++k) {
      open.sum[k] += double{snapshot->model[k]};
    }
    if (++open.models < peers_) {
      return;
    }
    double error = 0.0;
    for (std::size_t k = 0; k < optimum_.size(); ++k) {
      const double offset = open.sum[k] / static_cast<double>(peers_) - optimum_[k];
      error += offset * offset;
    }
    curve_[snapshot->step / kEvery] = error;
    open_.erase(snapshot->step);
  }

  [[nodiscard]] Curve curve() const {
    Curve curve;
    for (const auto& [point, error] : curve_) {
      curve.push_back(error);
    }
    return curve;
  }

 private:
  struct Open {
    std::vector<double> sum;
    std::size_t models = 0;
  };

  std::size_t peers_;
  std::vector<double> optimum_;
  std::mutex mutex_;  // guards what follows
  std::map<std::uint64_t, Open> open_;
  std::map<std::uint64_t, double> curve_;
};

trainer::Experiment experiment_for(const Setting& setting,
                                   const Method& method,
                                   std::size_t peers,
                                   std::uint64_t seed) {
  trainer::Experiment experiment;
  experiment.peers = peers;
  experiment.seed = seed;
  experiment.algorithm = method.algorithm;
  experiment.algorithm_options.topology = method.topology;
  experiment.algorithm_options.period =
      algorithm::find_algorithm(method.algorithm).default_period == 0 ? 0 : setting.period;
  experiment.model = "logistic";
  experiment.data = "synthetic-logistic:d=10:samples=" + std::to_string(setting.samples) +
                    ":test=1:" + setting.data;
  experiment.partition = "own";
  experiment.batch = setting.batch;
  experiment.steps = setting.steps;
  auto& rate = experiment.learning_rate;  // halved every 1000 iterations
  rate.base = setting.rate;
  for (std::uint64_t at = 1000; at < setting.steps; at += 1000) {
    rate.schedule = "step";
    rate.drop_factor = 0.5;
    rate.drop_at.push_back(static_cast<double>(at));
  }
  experiment.metrics_every = kEvery;
  return experiment;
}

std::vector<double> optimum_of(const trainer::Experiment& experiment) {
  const auto data = objective::load_data(
      {.name = experiment.data, .peers = experiment.peers, .seed = experiment.seed});
  return objective::find_logistic_optimum(*data.train,
                                          {.features = data.train->features(), .classes = 2})
      .point;
}

Curve run(const trainer::Experiment& experiment, const std::vector<double>& optimum) {
  MeanTrace trace(experiment.peers, optimum);
  const auto summary = trainer::train(
      experiment,
      {.make_world =
           [](const trainer::WorldRequest& request) {
             return std::make_unique<ThreadWorld>(ThreadWorldOptions{
                 .peers = request.peers, .seed = request.seed, .observer = request.observer});
           },
       .observer = &trace});
  if (summary.exit_code != ExitCode::ok) {
    throw Error(summary.exit_code, summary.error);
  }
  return trace.curve();
}

Curve smoothed(const Curve& curve) {
  const std::size_t window = std::min(kWindow, curve.size());
  Curve result;
  for (std::size_t k = 0; k + window <= curve.size(); ++k) {
    double sum = 0.0;
    for (std::size_t w = 0; w < window; ++w) {
      sum += curve[k + w];
    }
    result.push_back(sum / static_cast<double>(window));
  }
  return result;
}

/// The first iteration from which `curve` stays within kCaughtUp of `parallel`.
std::optional<std::uint64_t> transient_end(const Curve& curve, const Curve& parallel) {
  std::size_t k = curve.size();
  while (k > 0 && curve[k - 1] <= kCaughtUp * parallel[k - 1]) {
    --k;
  }
  if (k == curve.size()) {
    return std::nullopt;
  }
  return k * kEvery;
}

/// The mean curve of every method over the repetitions.
std::map<std::string, Curve> study(const Setting& setting, std::size_t peers) {
  std::map<std::string, Curve> curves;
  for (std::uint64_t seed = 1; seed <= setting.repetitions; ++seed) {
    const auto optimum = optimum_of(experiment_for(setting, methods().front(), peers, seed));
    for (const Method& method : methods()) {
      const Curve curve = run(experiment_for(setting, method, peers, seed), optimum);
      Curve& total = curves[method.label];
      total.resize(curve.size());
      for (std::size_t k = 0; k < curve.size(); ++k) {
        total[k] += curve[k] / static_cast<double>(setting.repetitions);
      }
    }
    std::cerr << "\r" << peers << " peers, repetition " << seed << " of " << setting.repetitions
              << std::flush;
  }
  std::cerr << "\n";
  return curves;
}

void print(std::size_t peers, const std::map<std::string, Curve>& curves) {
  const Curve parallel = smoothed(curves.at("parallel SGD"));
  for (const Method& method : methods()) {
    const Curve curve = smoothed(curves.at(method.label));
    const auto end = transient_end(curve, parallel);
    std::cout << std::setw(6) << peers << "  " << std::left << std::setw(14) << method.label
              << std::right << std::setw(12) << (end ? std::to_string(*end) : "not yet")
              << std::setw(14) << std::setprecision(3) << curve.back() << std::setw(10)
              << curve.back() / parallel.back() << "\n";
  }
}

void write_csv(std::ofstream& file, std::size_t peers, const std::map<std::string, Curve>& curves) {
  for (const auto& [label, curve] : curves) {
    for (std::size_t k = 0; k < curve.size(); ++k) {
      file << peers << "," << label << "," << k * kEvery << "," << curve[k] << "\n";
    }
  }
}

template <class Number>
Number number(const std::string& text) {
  const auto value = parse_double(text);
  if (!value || *value < 0.0) {
    throw ConfigError("not a number: " + text);
  }
  return static_cast<Number>(*value);
}

Setting parse(int count, char** arguments) {
  Setting setting;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "peers") {
      setting.peers.clear();
      for (const std::string& n : split(value, ',')) {
        setting.peers.push_back(number<std::size_t>(n));
      }
    } else if (key == "steps") {
      setting.steps = number<std::uint64_t>(value);
    } else if (key == "repetitions") {
      setting.repetitions = number<std::uint64_t>(value);
    } else if (key == "period") {
      setting.period = number<std::uint64_t>(value);
    } else if (key == "rate") {
      setting.rate = number<float>(value);
    } else if (key == "batch") {
      setting.batch = number<std::size_t>(value);
    } else if (key == "samples") {
      setting.samples = number<std::size_t>(value);
    } else if (key == "data") {
      setting.data = value;
    } else if (key == "csv") {
      setting.csv = value;
    } else {
      throw ConfigError("unknown argument '" + argument + "'; see the head of this file");
    }
  }
  return setting;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Setting setting = parse(count, arguments);
    std::ofstream csv;
    if (!setting.csv.empty()) {
      csv.open(setting.csv);
      csv << "peers,method,iteration,squared_error\n";
    }
    std::cout << " peers  method         caught up at   final error   / parallel\n";
    for (const std::size_t peers : setting.peers) {
      const auto curves = study(setting, peers);
      print(peers, curves);
      if (csv.is_open()) {
        write_csv(csv, peers, curves);
      }
    }
    return 0;
  } catch (const Error& error) {
    std::cerr << "gossip_pga_transient: " << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
