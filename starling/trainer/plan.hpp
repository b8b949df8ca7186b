// An experiment worked out: everything that is decided once, before any peer exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "starling/algorithm/registry.hpp"
#include "starling/algorithm/replica.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/partition.hpp"
#include "starling/trainer/experiment.hpp"
#include "starling/trainer/resume.hpp"

namespace starling::trainer {

/// Read-only for the peers of the run, which share it.
struct Plan {
  Experiment experiment;
  const algorithm::Entry* entry = nullptr;
  std::shared_ptr<const topology::Topology>
      topology;                              ///< shared by all peers; null: exact averages only
  objective::DataPair data;                  ///< null for objectives without data
  objective::ObjectiveMaker make_objective;  ///< of the peer of a rank
  objective::Partition partition;
  std::uint64_t steps_per_epoch = 0;  ///< 0 without data
  std::uint64_t total_steps = 0;
  std::uint64_t snapshot_every = 1;
  std::vector<std::uint32_t> evaluation_samples;
  double step_seconds = 0.0;      ///< cost of a step in virtual time
  bool step_is_measured = false;  ///< and not given by the experiment
  std::size_t stack_bytes = 0;    ///< what the model needs on a peer's stack
  std::string fingerprint;        ///< what decides the result, one "name = value" a line
  std::vector<std::string> notes;
};

/// Which clock a run is timed by.
enum class TimeKind : std::uint8_t {
  real,
  simulated  ///< a step needs a cost: it is measured if the experiment does not give it
};

/// Loads the data, cuts it, makes the topology, counts the steps.
/// @throws ConfigError, DataError
Plan make_plan(const Experiment& experiment, TimeKind time);

/// The number of steps that an option leads to. @throws ConfigError if it is no number that can be
/// counted
std::uint64_t whole_steps(double steps, const char* option);

/// Refuses a run whose steps behind `done` last longer than a virtual clock can tell, on a host of
/// the slowest speed. @throws ConfigError
void check_clock(const Plan& plan, std::uint64_t done, double slowest_speed);

/// The parts of the replica of `rank`.
algorithm::ReplicaParts make_parts(const Plan& plan, std::size_t rank);

algorithm::ReplicaOptions make_replica_options(const Plan& plan, std::size_t rank);

DealOptions deal_options(const Plan& plan);

/// Where the checkpoints of this run go; empty: nowhere.
std::filesystem::path checkpoint_directory(const Experiment& experiment);

}  // namespace starling::trainer
