#include "starling/trainer/metrics.hpp"

#include <barrier>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>

namespace starling::trainer {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void emit(Recorder& recorder, std::uint64_t peer, decltype(Event::what) what) {
  recorder.on_event({PeerId{peer}, Time(std::chrono::seconds(peer)), std::move(what)});
}

void emit_step(Recorder& recorder, std::uint64_t peer, std::uint64_t step, double loss) {
  emit(recorder, peer, StepDone{step, loss, std::isnan(loss) ? 0U : 32U, 0.05F});
}

/// A recorder that keeps its reports.
struct Kept {
  std::vector<StepReport> steps;
  std::vector<SnapshotReport> snapshots;
  std::vector<Event> warnings;

  RecorderOptions options(std::size_t peers) {
    RecorderOptions options;
    options.peers = peers;
    options.tail_steps = 2;
    options.on_step = [this](const StepReport& report) { steps.push_back(report); };
    options.on_snapshot = [this](const SnapshotReport& report) { snapshots.push_back(report); };
    options.on_warning = [this](const Event& event) { warnings.push_back(event); };
    return options;
  }
};

TEST(Recorder, ReportsAStepWhenTheLastPeerHasDoneIt) {
  Kept kept;
  Recorder recorder(kept.options(3));
  emit_step(recorder, 2, 1, 3.0);
  emit_step(recorder, 0, 1, 1.0);
  EXPECT_TRUE(kept.steps.empty());
  emit_step(recorder, 1, 1, 5.0);
  ASSERT_EQ(kept.steps.size(), 1U);
  EXPECT_EQ(kept.steps[0].step, 1U);
  EXPECT_EQ(kept.steps[0].peers, 3U);
  EXPECT_EQ(kept.steps[0].time, Time(std::chrono::seconds(2)));
  EXPECT_EQ(kept.steps[0].loss_mean, 3.0);
  EXPECT_EQ(kept.steps[0].loss_min, 1.0);
  EXPECT_EQ(kept.steps[0].loss_max, 5.0);
  EXPECT_EQ(kept.steps[0].samples, 96U);
  EXPECT_EQ(kept.steps[0].learning_rate, 0.05F);
}

TEST(Recorder, StepsComeInOrderWhenPeersAreApart) {
  Kept kept;
  Recorder recorder(kept.options(2));
  for (std::uint64_t step = 1; step <= 10; ++step) {
    emit_step(recorder, 0, step, 1.0);
  }
  for (std::uint64_t step = 1; step <= 10; ++step) {
    emit_step(recorder, 1, step, 3.0);
  }
  ASSERT_EQ(kept.steps.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(kept.steps[k].step, k + 1);
  }
}

TEST(Recorder, APeerWithoutABatchIsLeftOutOfTheLoss) {
  Kept kept;
  Recorder recorder(kept.options(2));
  emit_step(recorder, 0, 1, kNan);
  emit_step(recorder, 1, 1, 4.0);
  EXPECT_EQ(kept.steps[0].loss_mean, 4.0);
  emit_step(recorder, 0, 2, kNan);
  emit_step(recorder, 1, 2, kNan);
  EXPECT_TRUE(std::isnan(kept.steps[1].loss_mean));
  EXPECT_TRUE(std::isnan(kept.steps[1].loss_min));
  EXPECT_EQ(recorder.totals().training_loss, 4.0) << "steps without a loss do not count";
}

TEST(Recorder, ALossThatBecameNanIsNotHidden) {
  Kept kept;
  Recorder recorder(kept.options(2));
  emit(recorder, 0, StepDone{1, kNan, 32, 0.05F});
  emit_step(recorder, 1, 1, 4.0);
  EXPECT_TRUE(std::isnan(kept.steps[0].loss_mean));
  EXPECT_TRUE(std::isnan(kept.steps[0].loss_max));
}

TEST(Recorder, TrainingLossIsTheMeanOfTheLastSteps) {
  Kept kept;
  Recorder recorder(kept.options(1));
  EXPECT_TRUE(std::isnan(recorder.totals().training_loss));
  for (std::uint64_t step = 1; step <= 5; ++step) {
    emit_step(recorder, 0, step, static_cast<double>(step));
  }
  EXPECT_EQ(recorder.totals().training_loss, 4.5);  // of steps 4 and 5
}

TEST(Recorder, MeasuresModelsWhenAllHaveArrived) {
  Kept kept;
  Recorder recorder(kept.options(2));
  const std::vector<float> zero = {0.0F, 0.0F};
  emit(recorder, 0, ModelSnapshot{0, zero});
  emit(recorder, 1, ModelSnapshot{0, zero});
  emit_step(recorder, 0, 5, 1.5);
  emit_step(recorder, 1, 5, 2.5);
  const std::vector<float> first = {1.0F, 4.0F};
  const std::vector<float> second = {5.0F, 4.0F};
  emit(recorder, 1, ModelSnapshot{5, second});
  emit(recorder, 0, ModelSnapshot{5, first});
  ASSERT_EQ(kept.snapshots.size(), 2U);
  EXPECT_EQ(kept.snapshots[0].consensus_distance, 0.0);
  EXPECT_EQ(kept.snapshots[0].mean_drift, 0.0);
  const SnapshotReport& report = kept.snapshots[1];
  EXPECT_EQ(report.step, 5U);
  EXPECT_THAT(report.mean, ElementsAre(3.0F, 4.0F));
  EXPECT_THAT(report.distance, ElementsAre(4.0, 4.0));
  EXPECT_EQ(report.consensus_distance, 4.0);
  EXPECT_EQ(report.mean_drift, 5.0);  // from (0, 0) to (3, 4)
  EXPECT_THAT(report.ranks, ElementsAre(0U, 1U));
  EXPECT_THAT(report.loss, ElementsAre(1.5, 2.5));
}

TEST(Recorder, TheOrderOfArrivalDoesNotChangeABit) {
  const std::vector<std::vector<float>> models = {{1e8F, 0.1F}, {1.0F, 0.7F}, {-1e8F, 0.3F}};
  std::vector<SnapshotReport> reports;
  std::vector<double> losses;
  for (const std::vector<std::uint64_t>& order :
       {std::vector<std::uint64_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    Kept kept;
    Recorder recorder(kept.options(3));
    for (const std::uint64_t peer : order) {
      emit_step(recorder, peer, 1, models[peer][1]);
      emit(recorder, peer, ModelSnapshot{1, models[peer]});
    }
    ASSERT_EQ(kept.snapshots.size(), 1U);
    reports.push_back(kept.snapshots[0]);
    EXPECT_EQ(reports.back().mean, reports.front().mean);
    EXPECT_EQ(reports.back().consensus_distance, reports.front().consensus_distance);
    losses.push_back(kept.steps.at(0).loss_mean);
    EXPECT_EQ(losses.back(), losses.front());
  }
}

TEST(Recorder, DriftOfAResumedRunCountsFromItsFirstStart) {
  Kept kept;
  RecorderOptions options = kept.options(1);
  options.start_mean = {0.0F, 0.0F};
  Recorder recorder(options);
  const std::vector<float> model = {3.0F, 4.0F};
  emit(recorder, 0, ModelSnapshot{120, model});
  EXPECT_THAT(kept.snapshots[0].mean_drift, DoubleEq(5.0));
}

TEST(Recorder, APeerThatIsGoneIsNotWaitedFor) {
  Kept kept;
  Recorder recorder(kept.options(3));
  emit_step(recorder, 0, 1, 1.0);
  emit_step(recorder, 1, 1, 2.0);
  emit(recorder, 0, PeerGone{PeerId{2}, "host off"});
  emit(recorder, 1, PeerGone{PeerId{2}, "host off"});  // said twice, gone once
  ASSERT_EQ(kept.steps.size(), 1U);
  EXPECT_EQ(kept.steps[0].peers, 2U);
  emit_step(recorder, 0, 2, 1.0);
  EXPECT_EQ(kept.steps.size(), 1U);
  emit_step(recorder, 1, 2, 1.0);
  EXPECT_EQ(kept.steps.size(), 2U);
}

TEST(Recorder, KeepsAFewStepsOpenAndNoMore) {
  Kept kept;
  Recorder recorder(kept.options(2));
  const std::uint64_t steps = Recorder::kStepsOpenMax + 3;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    emit_step(recorder, 0, step, 1.0);
  }
  ASSERT_EQ(kept.steps.size(), 3U) << "peer 1 is silent, and nobody has said that it is gone";
  EXPECT_EQ(kept.steps[0].peers, 1U);
  emit_step(recorder, 1, 1, 9.0);
  EXPECT_EQ(kept.steps.size(), 3U) << "too late for step 1";
  recorder.close();
  EXPECT_EQ(kept.steps.size(), steps);
}

TEST(Recorder, KeepsAFewSnapshotsOpenAndNoMore) {
  Kept kept;
  Recorder recorder(kept.options(2));
  const std::vector<float> model = {1.0F};
  for (std::uint64_t step = 0; step <= Recorder::kSnapshotsOpenMax; ++step) {
    emit(recorder, 0, ModelSnapshot{step, model});
  }
  ASSERT_EQ(kept.snapshots.size(), 1U);
  EXPECT_THAT(kept.snapshots[0].ranks, ElementsAre(0U));
}

TEST(Recorder, CountsAndPassesOnWhatWentWrong) {
  Kept kept;
  Recorder recorder(kept.options(2));
  emit(recorder, 0, PartnerLost{PeerId{1}, 3, "deadline"});
  emit(recorder, 0, ContributionRejected{PeerId{1}, 3, "fc.weight", "skip-peer"});
  emit(recorder, 1, ContributionRejected{PeerId{0}, 3, "fc.weight", "skip-peer"});
  emit(recorder, 1, Note{Severity::info, "all is well"});
  EXPECT_EQ(recorder.totals().partners_lost, 1U);
  EXPECT_EQ(recorder.totals().rejected_contributions, 2U);
  EXPECT_EQ(kept.warnings.size(), 3U) << "no information, no debugging";
}

TEST(Recorder, AddsUpWhoWasWaitedFor) {
  using namespace std::chrono_literals;
  Recorder recorder({.peers = 4});
  emit(recorder, 0, SlowPeer{PeerId{3}, 5s});
  emit(recorder, 1, SlowPeer{PeerId{3}, 20s});
  emit(recorder, 3, SlowPeer{PeerId{2}, 5s});
  const auto slow = recorder.totals().slow;
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_EQ(slow.at(3).warnings, 2U);
  EXPECT_EQ(slow.at(3).longest, 20s);
  EXPECT_EQ(slow.at(2).warnings, 1U);
}

TEST(Recorder, ReportsThatNobodyTakesAreCounted) {
  RecorderOptions options{.peers = 1};
  Recorder* self = nullptr;
  std::uint64_t step = 1;
  options.on_step = [&](const StepReport& report) {
    // While the first report is delivered, more come than may wait.
    while (report.step == 1 && step <= Recorder::kReportsWaitingMax + 4) {
      emit_step(*self, 0, ++step, 1.0);
    }
  };
  Recorder recorder(options);
  self = &recorder;
  emit_step(recorder, 0, 1, 1.0);
  EXPECT_EQ(recorder.totals().reports_dropped, 4U);
}

TEST(Recorder, PeersOnThreadsLoseNothing) {
  constexpr std::size_t kPeers = 4;
  constexpr std::uint64_t kSteps = 500;
  Kept kept;
  Recorder recorder(kept.options(kPeers));
  std::barrier step_begins(kPeers);
  {
    std::vector<std::jthread> peers;
    for (std::uint64_t peer = 0; peer < kPeers; ++peer) {
      peers.emplace_back([&recorder, &step_begins, peer] {
        const std::vector<float> model = {static_cast<float>(peer)};
        for (std::uint64_t step = 1; step <= kSteps; ++step) {
          emit_step(recorder, peer, step, static_cast<double>(peer));
          if (step % 50 == 0) {
            emit(recorder, peer, ModelSnapshot{step, model});
          }
          step_begins.arrive_and_wait();
        }
      });
    }
  }
  recorder.close();
  ASSERT_EQ(kept.steps.size(), kSteps);
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    EXPECT_EQ(kept.steps[step - 1].step, step);
    EXPECT_EQ(kept.steps[step - 1].loss_mean, 1.5);
  }
  EXPECT_EQ(kept.snapshots.size(), 10U);
  EXPECT_EQ(recorder.totals().reports_dropped, 0U);
}

TEST(Recorder, ACallbackThatThrowsDoesNotBlockTheNext) {
  Kept kept;
  RecorderOptions options = kept.options(1);
  options.on_step = [&kept](const StepReport& report) {
    if (report.step == 1) {
      throw std::runtime_error("no room");
    }
    kept.steps.push_back(report);
  };
  Recorder recorder(options);
  EXPECT_THROW(emit_step(recorder, 0, 1, 1.0), std::runtime_error);
  emit_step(recorder, 0, 2, 1.0);
  EXPECT_EQ(kept.steps.size(), 1U);
}

TEST(Recorder, WithoutCallbacksItOnlyCounts) {
  Recorder recorder({.peers = 1});
  emit_step(recorder, 0, 1, 1.0);
  emit(recorder, 0, ModelSnapshot{1, {}});
  emit(recorder, 0, PartnerLost{});
  EXPECT_EQ(recorder.totals().training_loss, 1.0);
  EXPECT_EQ(recorder.totals().partners_lost, 1U);
}

}  // namespace
}  // namespace starling::trainer
