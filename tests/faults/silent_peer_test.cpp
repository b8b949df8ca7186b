// A peer that falls silent for most of a run, without being gone: nobody is told, messages still
// reach it.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/algorithm/registry.hpp"
#include "starling/simulation/sim_world.hpp"
#include "starling/trainer/train.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

constexpr std::size_t kSilent = 3;

trainer::Experiment experiment_for(const std::string& algorithm, OnLoss on_loss) {
  trainer::Experiment experiment;
  experiment.peers = 8;
  experiment.seed = 3;
  experiment.algorithm = algorithm;
  experiment.algorithm_options.on_loss = on_loss;
  experiment.model = "quadratic:d=4:sigma=0";
  experiment.data = "none";
  experiment.learning_rate.base = 0.3F;
  experiment.steps = 200;
  experiment.timeout_seconds = 0.5;
  experiment.step_seconds = 0.1;
  return experiment;
}

trainer::Summary train_with(const trainer::Experiment& experiment, SimOptions options) {
  return trainer::train(experiment,
                        {.make_world =
                             [&](const trainer::WorldRequest& request) {
                               options.peers = request.peers;
                               options.seed = request.seed;
                               options.observer = request.observer;
                               return std::make_unique<SimWorld>(options);
                             },
                         .virtual_time = true});
}

/// Peer 3 stands still from 1.5 s on.
trainer::Summary train_beside_a_silent_peer(const std::string& algorithm, OnLoss on_loss) {
  const TempDirectory folder;
  const std::filesystem::path faults = folder.path() / "faults.toml";
  std::ofstream(faults) << "[[fault]]\nkind = 'pause'\npeer = 3\nfrom = 1.5\nuntil = 100\n";
  return train_with(experiment_for(algorithm, on_loss), {.faults = faults.string()});
}

/// Peer 3 needs `times` as long for a step as the others.
trainer::Summary train_beside_a_straggler(const algorithm::Entry& entry,
                                          const std::string& topology,
                                          int times) {
  trainer::Experiment experiment = experiment_for(entry.name, OnLoss::stop);
  experiment.algorithm_options.topology = topology;
  experiment.steps = 20;
  experiment.step_seconds = 0.5;
  experiment.timeout_seconds = 20.0;
  return train_with(experiment, {.stragglers = "3x" + std::to_string(times)});
}

TEST(SilentPeer, GossipGoesOnAndStaysWhereItWas) {
  for (const char* algorithm : {"dsgd", "sgp"}) {
    const trainer::Summary summary = train_beside_a_silent_peer(algorithm, OnLoss::continue_);
    EXPECT_EQ(summary.exit_code, ExitCode::ok) << algorithm << ": " << summary.error;
    EXPECT_NEAR(summary.loss, 1.4242, 0.1) << algorithm;  // of the run without faults
  }
}

TEST(SilentPeer, IsTheOneThatIsNamed) {
  for (const char* algorithm :
       {"allreduce-sgd", "local-sgd", "gossip-pga", "dsgd", "dsgd-ceca", "sgp"}) {
    const trainer::Summary summary = train_beside_a_silent_peer(algorithm, OnLoss::stop);
    EXPECT_EQ(summary.exit_code, ExitCode::peers_lost) << algorithm;
    EXPECT_NE(summary.error.find("peer " + std::to_string(kSilent)), std::string::npos)
        << algorithm << ": " << summary.error;
    EXPECT_EQ(summary.error.find("refused"), std::string::npos) << summary.error;
  }
}

std::vector<std::string> topologies_for(const algorithm::Entry& entry) {
  if (entry.default_topology.empty()) {
    return {""};
  }
  return {"", "ring", "exponential"};
}

/// The farther from the straggler, the farther ahead: some peers are at an exact average already
/// while those between them and the straggler still exchange models.
TEST(Straggler, IsTheOneThatIsNamedWhoeverWaitsForWhom) {
  for (const algorithm::Entry& entry : algorithm::registry()) {
    for (const std::string& topology : topologies_for(entry)) {
      for (const int times : {9, 14, 24, 45}) {
        const trainer::Summary summary = train_beside_a_straggler(entry, topology, times);
        if (summary.exit_code == ExitCode::ok) {
          continue;  // not slow enough for this algorithm
        }
        EXPECT_EQ(summary.exit_code, ExitCode::peers_lost) << entry.name;
        EXPECT_NE(summary.error.find("peer " + std::to_string(kSilent)), std::string::npos)
            << entry.name << " " << topology << " x" << times << ": " << summary.error;
      }
      EXPECT_NE(train_beside_a_straggler(entry, topology, 45).exit_code, ExitCode::ok);
    }
  }
}

}  // namespace

}  // namespace starling::testing
