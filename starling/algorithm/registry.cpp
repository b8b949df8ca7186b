#include "starling/algorithm/registry.hpp"

#include <algorithm>
#include <array>

#include "starling/algorithm/allreduce_sgd.hpp"
#include "starling/algorithm/dsgd.hpp"
#include "starling/algorithm/dsgd_ceca.hpp"
#include "starling/algorithm/gossip_pga.hpp"
#include "starling/algorithm/local_sgd.hpp"
#include "starling/algorithm/sgp.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::algorithm {

namespace {

constexpr std::uint64_t kGossipPgaPeriod = 6;  // the paper's, for deep networks
constexpr std::uint64_t kLocalSgdPeriod = 8;

std::uint64_t period_or(const Making& making, std::uint64_t fallback) {
  return making.options.period == 0 ? fallback : making.options.period;
}

std::unique_ptr<Algorithm> make_allreduce_sgd(const Making&) {
  return std::make_unique<AllreduceSgd>();
}

std::unique_ptr<Algorithm> make_dsgd(const Making& making) {
  return std::make_unique<Dsgd>(making.topology, making.options.order);
}

topology::CecaPorts ports_of(const AlgorithmOptions& options) {
  if (options.ports != 1 && options.ports != 2) {
    throw ConfigError("ports: expected 1 or 2, found " + std::to_string(options.ports));
  }
  return static_cast<topology::CecaPorts>(options.ports);
}

std::unique_ptr<Algorithm> make_dsgd_ceca(const Making& making) {
  return std::make_unique<DsgdCeca>(ports_of(making.options));
}

void check_dsgd_ceca(const AlgorithmOptions& options, std::size_t peers) {
  [[maybe_unused]] const topology::CecaSchedule exists(peers, ports_of(options));
}

std::unique_ptr<Algorithm> make_gossip_pga(const Making& making) {
  return std::make_unique<GossipPga>(making.topology, period_or(making, kGossipPgaPeriod));
}

std::unique_ptr<Algorithm> make_local_sgd(const Making& making) {
  return std::make_unique<LocalSgd>(making.topology, period_or(making, kLocalSgdPeriod));
}

std::unique_ptr<Algorithm> make_sgp(const Making& making) {
  return std::make_unique<Sgp>(making.topology);
}

const std::array<Entry, 6>& table() {
  static const std::array<Entry, 6> entries{{
      {.name = "allreduce-sgd",
       .summary = "synchronous data-parallel SGD: exact mean of the gradients in every step",
       .reference = "the standard baseline",
       .traits = {.preserves_mean = true, .exact = true},
       .default_topology = {},
       .options = {"collective"},
       .make = make_allreduce_sgd},
      {.name = "dsgd",
       .summary = "decentralized SGD: a local step and a weighted average with the neighbours",
       .reference = "Koloskova et al. 2020, arXiv:2003.10422",
       .traits = {.preserves_mean = true},
       .mixing = Mixing::doubly_stochastic,
       .default_topology = "exponential",
       .options = {"topology", "weights", "order", "on-loss"},
       .make = make_dsgd},
      {.name = "dsgd-ceca",
       .summary = "decentralized SGD over exact consensus: one vector each way a step, the exact "
                  "mean of any n after ceil(log2 n)",
       .reference = "Ding et al. 2023, arXiv:2306.00256",
       .traits = {.preserves_mean = true},
       .mixing = Mixing::ceca,
       .default_topology = {},
       .options = {"ports"},
       .make = make_dsgd_ceca,
       .check = check_dsgd_ceca},
      {.name = "gossip-pga",
       .summary = "gossip in every step, and an exact global average every H steps",
       .reference = "Chen et al. 2021, arXiv:2105.09080",
       .traits = {.preserves_mean = true},
       .mixing = Mixing::doubly_stochastic,
       .default_topology = "exponential",
       .default_period = kGossipPgaPeriod,
       .options = {"topology", "weights", "period", "collective"},
       .make = make_gossip_pga},
      {.name = "local-sgd",
       .summary =
           "steps alone, then an average (exact on full, else over the topology) every H steps",
       .reference = "Koloskova et al. 2020, arXiv:2003.10422",
       .traits = {.preserves_mean = true},
       .mixing = Mixing::doubly_stochastic,
       .default_topology = "full",
       .exact_on_full = true,
       .default_period = kLocalSgdPeriod,
       .options = {"topology", "weights", "period", "collective"},
       .make = make_local_sgd},
      {.name = "sgp",
       .summary = "stochastic gradient push: directed averaging, un-biased by a push-sum weight",
       .reference = "Assran et al. 2019, arXiv:1811.10792",
       .traits = {.preserves_mean = true},
       .mixing = Mixing::push_sum,
       .default_topology = "exponential",
       .options = {"topology", "weights", "on-loss"},
       .make = make_sgp},
  }};
  return entries;
}

void check_fit(const Entry& entry, const topology::Topology& topology) {
  const topology::Traits traits = topology.traits();
  const bool push = entry.mixing == Mixing::push_sum;
  if (traits.column_stochastic && (push || traits.row_stochastic)) {
    return;
  }
  throw ConfigError("algorithm " + entry.name + ": needs " +
                    (push ? "column-stochastic shares" : "doubly stochastic weights") +
                    ", which topology " + topology.name() +
                    " lacks with these weights; use --weights " +
                    (push ? "push" : "metropolis-hastings"));
}

}  // namespace

std::span<const Entry> registry() {
  return table();
}

const Entry& find_algorithm(const std::string& name) {
  const auto entries = registry();
  const auto found = std::find_if(
      entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found != entries.end()) {
    return *found;
  }
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    names.push_back(entry.name);
  }
  throw ConfigError("algorithm: no '" + name + "'" + suggestion(name, names));
}

std::shared_ptr<const topology::Topology> make_mixing(const Entry& entry,
                                                      const AlgorithmOptions& options,
                                                      std::size_t peers,
                                                      std::uint64_t seed) {
  const std::string& name = options.topology.empty() ? entry.default_topology : options.topology;
  const bool exact = entry.exact_on_full && name == "full";
  if (entry.check != nullptr) {
    entry.check(options, peers);
  }
  if (entry.mixing == Mixing::none || entry.mixing == Mixing::ceca) {
    return nullptr;
  }
  if (exact) {
    if (options.weights != "auto") {
      throw ConfigError("weights: " + entry.name + " over all peers averages exactly, without " +
                        "weights; leave '" + options.weights + "' out or name another topology");
    }
    return nullptr;
  }
  if (entry.exact_on_full && options.collective != "auto") {
    throw ConfigError("collective: " + entry.name + " over topology " + name +
                      " averages with neighbours only; use --topology full with '" +
                      options.collective + "'");
  }
  auto topology = topology::make_topology({.name = name,
                                           .weights = options.weights,
                                           .peers = peers,
                                           .seed = seed,
                                           .needs = entry.mixing == Mixing::push_sum
                                                        ? topology::Needs::columns
                                                        : topology::Needs::rows_and_columns});
  check_fit(entry, *topology);
  return topology;
}

}  // namespace starling::algorithm
