// A peer that falls silent for most of a run, without being gone: nobody is told, messages still
// reach it.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "starling/simulation/sim_world.hpp"
#include "starling/trainer/train.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

constexpr std::size_t kSilent = 3;

/// Peer 3 stands still from 1.5 s on.
trainer::Summary train_beside_a_silent_peer(const std::string& algorithm, OnLoss on_loss) {
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
  const TempDirectory folder;
  const std::filesystem::path faults = folder.path() / "faults.toml";
  std::ofstream(faults) << "[[fault]]\nkind = 'pause'\npeer = 3\nfrom = 1.5\nuntil = 100\n";
  return trainer::train(
      experiment,
      {.make_world =
           [&](const trainer::WorldRequest& request) {
             return std::make_unique<SimWorld>(SimOptions{.peers = request.peers,
                                                          .seed = request.seed,
                                                          .observer = request.observer,
                                                          .faults = faults.string()});
           },
       .virtual_time = true});
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

}  // namespace

}  // namespace starling::testing
