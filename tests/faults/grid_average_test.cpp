// Averaging in the groups of a grid under fault schedules, and with a peer killed at every moment
// of a round: the survivors of a group end with the same model.
#include "starling/mixing/grid_average.hpp"

#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/peer/group.hpp"

#include "tests/faults/schedules.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPeers = 8;
constexpr std::uint64_t kRounds = 9;

/// Eight peers in a 2x2x2 grid, one model each.
class OnGrid {
 public:
  explicit OnGrid(OnLoss on_loss)
      : on_loss_(on_loss),
        grid_(std::make_shared<const topology::GridGroups>(
            topology::GridGroups::in_order({2, 2, 2}, kPeers))),
        values_(kPeers) {}

  void operator()(Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::span value(&values_[group.rank()], 1);
    value[0] = static_cast<float>(group.rank());
    mixing::GridAverage average(group, grid_);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      peer.compute(500ms, [] {});
      average.round(value, {.round = round, .deadline = peer.clock().in(20s), .on_loss = on_loss_});
    }
  }

  /// What is wrong with the values of the peers that finished.
  [[nodiscard]] std::string complaint(const RunReport& report) const {
    std::ostringstream text;
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      const float value = values_[rank];
      const bool between = value >= 0.0F && value <= static_cast<float>(kPeers - 1);
      const bool exact = on_loss_ == OnLoss::continue_ || !report.ok() || value == 3.5F;
      if (!report.peers[rank].error && !(between && exact)) {
        text << "peer " << rank << " ends with " << value << "; ";
      }
    }
    return text.str();
  }

 private:
  OnLoss on_loss_;
  std::shared_ptr<const topology::GridGroups> grid_;
  std::vector<float> values_;
};

FaultTrial trial(OnLoss on_loss) {
  FaultTrial trial;
  trial.peers = kPeers;
  trial.run = [on_loss](SimWorld& world, std::uint64_t) {
    OnGrid on_grid(on_loss);
    const RunReport report = world.run([&](Peer& peer) { on_grid(peer); });
    return complaint_about(report) + on_grid.complaint(report);
  };
  return trial;
}

class GridUnderFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(GridUnderFaults, StrictAveragingIsExactOrNamesTheCause) {
  expect_to_survive(trial(OnLoss::stop), GetParam(), 20);
}

TEST_P(GridUnderFaults, TolerantAveragingGoesOn) {
  expect_to_survive(trial(OnLoss::continue_), GetParam(), 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GridUnderFaults, ::testing::Range<std::uint64_t>(0, 100, 20));

/// One group of five, of whom one dies `microseconds` after the start. A round is about ten
/// messages of 0.1 ms, so every moment of it is hit.
void expect_survivors_agree(std::uint64_t microseconds) {
  constexpr std::size_t kMembers = 5;
  const TempDirectory folder;
  std::ofstream(folder / "kill.toml")
      << "[[fault]]\nkind = \"kill\"\npeer = 2\nfrom = \"" << microseconds << "us\"\n";
  SimWorld world({.peers = kMembers, .faults = (folder / "kill.toml").string()});
  const auto grid = std::make_shared<const topology::GridGroups>(
      topology::GridGroups::in_order({kMembers}, kMembers));
  std::vector<std::vector<float>> models(kMembers);
  const RunReport report = world.run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float>& model = models[group.rank()];
    model.assign(10, static_cast<float>(group.rank()));
    mixing::GridAverage average(group, grid, {.collective = "circulant"});
    average.round(model,
                  {.round = 0, .deadline = peer.clock().in(20s), .on_loss = OnLoss::continue_});
  });
  for (std::size_t rank = 0; rank < kMembers; ++rank) {
    if (rank != 2) {
      EXPECT_FALSE(report.peers[rank].error) << "killed after " << microseconds << " us";
      EXPECT_EQ(models[rank], models[0]) << "killed after " << microseconds << " us";
    }
  }
  // The mean of 0, 1, 3, 4 is that of 0, 1, 2, 3, 4.
  EXPECT_NEAR(models[0][0], 2.0, 1e-6);
}

TEST(GridAverage, SurvivorsAgreeWheneverAMemberDies) {
  for (std::uint64_t microseconds = 0; microseconds <= 1200; microseconds += 25) {
    expect_survivors_agree(microseconds);
  }
}

}  // namespace

}  // namespace starling::testing
