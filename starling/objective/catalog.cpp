#include "starling/objective/catalog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/layout.hpp"
#include "starling/core/text.hpp"
#include "starling/objective/fashion_mnist.hpp"
#include "starling/objective/logistic.hpp"
#include "starling/objective/network_name.hpp"
#include "starling/objective/plugin.hpp"
#include "starling/objective/quadratic.hpp"
#include "starling/objective/spec.hpp"
#include "starling/objective/synthetic.hpp"

namespace starling::objective {

namespace {

constexpr double kMostDimensions = 1e8;
constexpr double kMostSamples = 4e9;  // sample indices have 32 bits

// ---- data

DataPair no_data(const DataOptions&, Spec&) {
  return {};
}

DataPair fashion_mnist(const DataOptions& options, Spec& spec) {
  spec.finish();
  return load_fashion_mnist(options.directory);
}

DataPair synthetic_logistic(const DataOptions& options, Spec& spec) {
  SyntheticLogistic drawn{.peers = options.peers, .seed = options.seed};
  drawn.dimension = spec.count("d", drawn.dimension, {.least = 1, .most = kMostDimensions});
  drawn.samples = spec.count("samples", drawn.samples, {.least = 1, .most = kMostSamples});
  const std::size_t test_default = std::max<std::size_t>(1, drawn.samples / 10);
  drawn.test_samples = spec.count("test", test_default, {.least = 1, .most = kMostSamples});
  const bool shared = spec.flag("iid");
  const bool per_peer = spec.flag("noniid");
  if (shared && per_peer) {
    spec.refuse("iid and noniid exclude each other");
  }
  if (per_peer) {
    drawn.truth = SyntheticLogistic::Truth::per_peer;
  }
  spec.finish();
  const double all = static_cast<double>(drawn.samples) * static_cast<double>(options.peers);
  if (all > kMostSamples) {
    spec.refuse(std::to_string(options.peers) + " peers times " + std::to_string(drawn.samples) +
                " samples are more than indices of 32 bits can name");
  }
  return draw_synthetic_logistic(drawn);
}

DataPair toy(const DataOptions& options, Spec& spec) {
  Blobs blobs{.seed = options.seed};
  blobs.classes = spec.count("classes", blobs.classes, {.least = 2, .most = 1000});
  blobs.samples = spec.count("samples", blobs.samples, {.least = 1, .most = kMostSamples});
  blobs.test_samples = spec.count("test", blobs.test_samples, {.least = 1, .most = kMostSamples});
  const std::size_t side = spec.count("image", 0, {.least = 1, .most = 1000});
  const std::size_t dimension = spec.count("d", 0, {.least = 1, .most = 1e6});
  if (side > 0 && dimension > 0) {
    spec.refuse("d and image exclude each other");
  }
  if (side > 0) {
    blobs.sample_shape = {1, side, side};
  }
  if (dimension > 0) {
    blobs.sample_shape = {dimension};
  }
  spec.finish();
  return draw_blobs(blobs);
}

struct DataLine {
  const char* name;
  DataPair (*load)(const DataOptions&, Spec&);
  const char* summary;
};

constexpr std::array kData = {
    DataLine{"fashion-mnist",
             fashion_mnist,
             "60,000 + 10,000 images 28x28 of ten kinds of clothes, from IDX files"},
    DataLine{
        "synthetic-logistic",
        synthetic_logistic,
        "drawn per peer: d=10, samples=8000 and test=800 a peer, iid or noniid (own truth a peer)"},
    DataLine{"toy",
             toy,
             "small clouds: classes=3, d=8 or image=SIDE, samples=600, test=150 over all peers"},
    DataLine{"none", no_data, "no samples, for model quadratic"},
};

// ---- models

const Dataset& needed(const Dataset* train, const Spec& spec) {
  if (train == nullptr) {
    spec.refuse("this model learns from samples, but the data is 'none'");
  }
  return *train;
}

QuadraticOptions read_quadratic(Spec& spec) {
  QuadraticOptions problem;
  problem.dimension = spec.count("d", problem.dimension, {.least = 1, .most = kMostDimensions});
  problem.zeta = spec.number("zeta", problem.zeta, {.least = 0, .most = 1e6});
  problem.sigma = spec.number("sigma", problem.sigma, {.least = 0, .most = 1e6});
  problem.spread = spec.number("spread", problem.spread, {.least = 1, .most = 1e9});
  if (spec.flag("graded")) {
    problem.curvature = PeerCurvature::graded;
  }
  spec.finish();
  return problem;
}

ObjectiveMaker quadratic(const ModelOptions& options, const Dataset*, Spec& spec) {
  QuadraticOptions problem = read_quadratic(spec);
  problem.peers = options.peers;
  problem.seed = options.seed;
  if (options.l2 != 0.0F) {
    spec.refuse("an L2 term is for logistic, this model has none");
  }
  return [shared = draw_quadratic_problem(problem)](std::size_t rank) {
    return std::make_unique<Quadratic>(shared, rank);
  };
}

/// Whether the name asks for a bias or for none; nothing if it leaves that open.
std::optional<bool> read_bias(Spec& spec) {
  const bool with = spec.flag("bias");
  const bool without = spec.flag("no-bias");
  if (with && without) {
    spec.refuse("bias and no-bias exclude each other");
  }
  spec.finish();
  return with || without ? std::optional(with) : std::nullopt;
}

ObjectiveMaker logistic(const ModelOptions& options, const Dataset* train, Spec& spec) {
  const Dataset& data = needed(train, spec);
  const bool image = data.sample_shape().size() > 1;
  const bool bias = read_bias(spec).value_or(image);
  if (!(options.l2 >= 0.0F) || !std::isfinite(options.l2)) {
    spec.refuse("the weight of the L2 term is " + std::to_string(options.l2) +
                ", expected a number that is not negative");
  }
  const LogisticOptions wanted{
      .features = data.features(), .classes = data.classes(), .bias = bias, .l2 = options.l2};
  return [wanted](std::size_t) { return std::make_unique<Logistic>(wanted); };
}

ObjectiveMaker network(const ModelOptions& options, const Dataset* train, Spec& spec) {
  const Dataset& data = needed(train, spec);
  if (options.l2 != 0.0F) {
    spec.refuse("an L2 term is for logistic; networks take weight decay from the optimizer");
  }
  parse_network_name(
      options.name);  // opening libtorch takes a second: not for a slip of the finger
  MakeNetwork& make = open_network_plugin(plugin_candidates());
  return [&make, &data, name = options.name, seed = options.seed](std::size_t) {
    return make_network(make,
                        {.abi = kNetworkAbi,
                         .name = name.c_str(),
                         .sample_shape = data.sample_shape(),
                         .classes = data.classes(),
                         .seed = seed});
  };
}

void check_quadratic(Spec& spec) {
  read_quadratic(spec);
}

void check_logistic(Spec& spec) {
  read_bias(spec);
}

void check_network(Spec& spec) {
  parse_network_name(spec.text());
}

enum class Needs : std::uint8_t { nothing, data, data_and_torch };

struct ModelLine {
  const char* name;
  void (*check)(Spec&);
  ObjectiveMaker (*prepare)(const ModelOptions&, const Dataset*, Spec&);
  Needs needs;
  const char* summary;
};

constexpr std::array kModels = {
    ModelLine{"quadratic",
              check_quadratic,
              quadratic,
              Needs::nothing,
              "known optimum: d=50, zeta=1 (heterogeneity), sigma=0.1 (noise), spread=1, graded"},
    ModelLine{"logistic",
              check_logistic,
              logistic,
              Needs::data,
              "logistic regression, without libtorch; bias or no-bias (default: for images)"},
    ModelLine{"linear", check_network, network, Needs::data_and_torch, "one fully connected layer"},
    ModelLine{
        "mlp",
        check_network,
        network,
        Needs::data_and_torch,
        "mlp:WIDTHxWIDTH...: a fully connected layer and ReLU a width (default 256), then one "
        "more; :dropout=RATE"},
    ModelLine{"cnn",
              check_network,
              network,
              Needs::data_and_torch,
              "cnn:CHANNELSxCHANNELS...: LeNet class, for images (default 8x16); :dropout=RATE"},
};

// ---- both

template <class Lines>
const auto& find_line(const Lines& lines, const Spec& spec) {
  const auto found = std::find_if(
      lines.begin(), lines.end(), [&](const auto& line) { return spec.name() == line.name; });
  if (found != lines.end()) {
    return *found;
  }
  std::vector<std::string> names;
  names.reserve(lines.size());
  for (const auto& line : lines) {
    names.emplace_back(line.name);
  }
  spec.refuse("there is no such name" + suggestion(spec.name(), names));
}

}  // namespace

std::span<const CatalogEntry> model_catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    std::vector<CatalogEntry> all;
    all.reserve(kModels.size());
    for (const ModelLine& line : kModels) {
      all.push_back({.name = line.name,
                     .summary = line.summary,
                     .needs_torch = line.needs == Needs::data_and_torch,
                     .needs_data = line.needs != Needs::nothing});
    }
    return all;
  }();
  return entries;
}

std::span<const CatalogEntry> data_catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    std::vector<CatalogEntry> all;
    all.reserve(kData.size());
    for (const DataLine& line : kData) {
      all.push_back({.name = line.name, .summary = line.summary});
    }
    return all;
  }();
  return entries;
}

const CatalogEntry& model_entry(const std::string& model) {
  const ModelLine& line = find_line(kModels, Spec("model", model));
  return model_catalog()[static_cast<std::size_t>(&line - kModels.data())];
}

void check_model(const std::string& model) {
  Spec spec("model", model);
  find_line(kModels, spec).check(spec);
}

DataPair load_data(const DataOptions& options) {
  ensure(options.peers >= 1, "data is drawn for at least one peer");
  Spec spec("data", options.name);
  const DataLine& line = find_line(kData, spec);
  if (!options.directory.empty() && line.load != fashion_mnist) {
    spec.refuse("it is not read from files, but a data folder is given: " +
                options.directory.string());
  }
  DataPair pair = line.load(options, spec);
  spec.finish();
  return pair;
}

ObjectiveMaker prepare_objectives(const ModelOptions& options, const Dataset* train) {
  Spec spec("model", options.name);
  return find_line(kModels, spec).prepare(options, train, spec);
}

std::unique_ptr<Objective> make_objective(const ModelOptions& options, const Dataset* train) {
  return prepare_objectives(options, train)(options.rank);
}

}  // namespace starling::objective
