// Averaging in the groups of a grid under fault schedules, and with a peer killed at every moment
// of a round: the survivors of a group end with the same model.
#include "starling/mixing/grid_average.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/peer/group.hpp"

#include "tests/faults/averaging.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

std::shared_ptr<const topology::GridGroups> in_order(std::vector<std::size_t> dims,
                                                     std::size_t peers) {
  return std::make_shared<const topology::GridGroups>(
      topology::GridGroups::in_order(std::move(dims), peers));
}

/// Three times through a 2x2x2 grid, exact each time.
AveragingCase cube() {
  const auto make = [](const Group& group, std::uint64_t) -> Averaging {
    const auto average =
        std::make_shared<mixing::GridAverage>(group, in_order({2, 2, 2}, kAveragers));
    return [average](std::span<float> value, const mixing::MixingOptions& options) {
      average->round(value, options);
    };
  };
  const auto complaint = [](std::span<const float> values) {
    std::ostringstream text;
    for (const float value : values) {
      if (value != 3.5F) {
        text << value << " instead of 3.5; ";
      }
    }
    return text.str();
  };
  return {.rounds = 9, .make = make, .complaint = complaint};
}

class GridUnderFaults : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(GridUnderFaults, StrictAveragingIsExactOrNamesTheCause) {
  expect_to_survive(averaging_trial(cube(), OnLoss::stop), GetParam(), 20);
}

TEST_P(GridUnderFaults, TolerantAveragingGoesOn) {
  expect_to_survive(averaging_trial(cube(), OnLoss::continue_), GetParam(), 20);
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
  const auto grid = in_order({kMembers}, kMembers);
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
