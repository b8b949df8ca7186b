#include "starling/trainer/consensus_errors.hpp"

#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling::trainer {
namespace {

/// Two peers with (0, 1) and (4, 3): m = (2, 2), squared distances 4 + 1 each.
const std::vector<float> kInitial{0.0F, 1.0F, 4.0F, 3.0F};

TEST(ConsensusErrors, AreWhatTheFormulasSay) {
  const ConsensusErrors errors(kInitial, 2, 1);
  const RoundErrors found = errors.errors_of(kInitial);
  EXPECT_DOUBLE_EQ(found.variance, 10.0 / 4.0);
  EXPECT_DOUBLE_EQ(found.distance_to_initial_mean, std::sqrt(10.0 / 4.0));
  EXPECT_DOUBLE_EQ(found.consensus_error, std::sqrt(10.0 / 2.0));
}

TEST(ConsensusErrors, TellAgreementFromTheRightMean) {
  ConsensusErrors errors(kInitial, 2, 1);
  errors.put(0, 1, std::vector<float>{3.0F, 2.0F});
  errors.put(0, 0, std::vector<float>{3.0F, 2.0F});
  const RoundErrors& found = errors.by_round()[0];
  EXPECT_EQ(found.variance, 0.0);
  EXPECT_EQ(found.consensus_error, 0.0);
  EXPECT_DOUBLE_EQ(found.distance_to_initial_mean, std::sqrt(2.0 / 4.0));  // (1, 0), twice
}

TEST(ConsensusErrors, DoNotDependOnTheOrderOfReports) {
  constexpr std::size_t kPeers = 8;
  constexpr std::uint64_t kRounds = 50;
  std::vector<float> initial(kPeers * 3);
  for (std::size_t k = 0; k < initial.size(); ++k) {
    initial[k] = std::sin(static_cast<float>(k));
  }
  const auto estimate = [&](std::size_t rank, std::uint64_t round) {
    std::vector<float> values(initial.begin() + std::ptrdiff_t(rank * 3),
                              initial.begin() + std::ptrdiff_t(rank * 3 + 3));
    for (float& value : values) {
      value /= static_cast<float>(round + 1);
    }
    return values;
  };
  ConsensusErrors in_order(initial, kPeers, kRounds);
  ConsensusErrors at_once(initial, kPeers, kRounds);
  {
    std::vector<std::jthread> peers;
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      peers.emplace_back([&, rank] {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
          at_once.put(round, rank, estimate(rank, round));
        }
      });
    }
  }
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (std::size_t rank = kPeers; rank-- > 0;) {
      in_order.put(round, rank, estimate(rank, round));
    }
    EXPECT_EQ(in_order.by_round()[round].variance, at_once.by_round()[round].variance);
    EXPECT_GT(at_once.by_round()[round].variance, 0.0);
    EXPECT_EQ(in_order.by_round()[round].distance_to_initial_mean,
              at_once.by_round()[round].distance_to_initial_mean);
  }
}

TEST(ConsensusErrors, OnePeerAgreesWithItself) {
  ConsensusErrors errors(std::vector<float>{7.0F}, 1, 1);
  errors.put(0, 0, std::vector<float>{7.0F});
  EXPECT_EQ(errors.by_round()[0].variance, 0.0);
  EXPECT_EQ(errors.by_round()[0].distance_to_initial_mean, 0.0);
}

TEST(ConsensusErrors, AVectorOfAnotherSizeBreaksTheContract) {
  ConsensusErrors errors(kInitial, 2, 1);
  EXPECT_THROW(errors.put(0, 0, std::vector<float>{1.0F}), ContractError);
  EXPECT_THROW(errors.put(1, 0, std::vector<float>{1.0F, 1.0F}), ContractError);
  EXPECT_THROW(ConsensusErrors(kInitial, 3, 1), ContractError);
}

}  // namespace
}  // namespace starling::trainer
