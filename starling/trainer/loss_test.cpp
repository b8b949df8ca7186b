// What a run says and leaves on disk when a peer is lost: honest checkpoints, advice that helps.
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/peer/peer.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/lost_peers.hpp"
#include "starling/trainer/toy_runs.hpp"
#include "starling/trainer/train.hpp"

#include "tests/support/temp_directory.hpp"
#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using starling::testing::all_kinds;
using starling::testing::Kind;
using starling::testing::TempDirectory;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ends peer 3 when it has done a step, and counts what is said of checkpoints.
class DeathOfPeer3 : public Observer {
 public:
  explicit DeathOfPeer3(std::uint64_t step) : step_(step) {}

  void on_event(const Event& event) override {
    const auto* note = std::get_if<Note>(&event.what);
    if (note != nullptr && note->text.find("checkpoints are incomplete") != std::string::npos) {
      const std::lock_guard lock(mutex_);
      ++warnings_;
    }
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && done->step == step_ && event.from == PeerId{3}) {
      throw Error(ExitCode::peers_lost, "peer 3: died");
    }
  }

  [[nodiscard]] std::size_t warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  std::uint64_t step_;
  mutable std::mutex mutex_;  // guards warnings_
  std::size_t warnings_ = 0;
};

TEST(Loss, NoCheckpointIsSavedThatCanNeverBeComplete) {
  for (const Kind kind : all_kinds()) {
    for (const std::uint64_t every : {1U, 5U}) {
      const TempDirectory directory;
      Experiment experiment = toy("dsgd", 8, 60);
      experiment.algorithm_options.on_loss = OnLoss::continue_;
      experiment.checkpoint = {.directory = directory.path(), .every = every, .keep = 1};
      DeathOfPeer3 death(12);
      const Summary summary = train_on(kind, experiment, nullptr, &death);
      EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;

      const std::uint64_t last = every == 1 ? 11 : 10;  // peer 3 has done step 12, not saved it
      EXPECT_EQ(resumable_step(directory.path()), last) << to_string(kind);
      EXPECT_LE(checkpoint_steps(directory.path()).size(), 2U) << to_string(kind);
      EXPECT_LE(checkpoint_steps(directory.path()).back(), last) << to_string(kind);
      EXPECT_EQ(death.warnings(), 1U) << to_string(kind);
      EXPECT_THAT(summary.notes,
                  Contains("checkpoints are incomplete since peer 3 was lost, and no more are "
                           "saved; a resume goes on from step " +
                           std::to_string(last)));

      experiment.checkpoint = {};
      experiment.resume = directory.path();
      EXPECT_EQ(train_on(kind, experiment).steps, 60U);
    }
  }
}

TEST(Loss, WhoCannotGoOnIsToldTheStepToResumeFrom) {
  const TempDirectory directory;
  Experiment experiment = toy("allreduce-sgd", 5, 40);
  experiment.checkpoint = {.directory = directory.path(), .every = 5};
  DeathOfPeer3 at_twelve(12);
  EXPECT_THAT(train_on(Kind::threads, experiment, nullptr, &at_twelve).error,
              HasSubstr("--resume " + directory.path().string() + " goes on from step 10"));

  const TempDirectory other;
  experiment.checkpoint.directory = other.path();
  DeathOfPeer3 at_two(2);
  EXPECT_THAT(train_on(Kind::threads, experiment, nullptr, &at_two).error,
              AllOf(HasSubstr("no checkpoint was complete yet"), Not(HasSubstr("--resume"))));
}

/// A world whose peer 1 is gone before it says a word.
class WithoutPeer1 final : public World {
 public:
  explicit WithoutPeer1(std::unique_ptr<World> world) : world_(std::move(world)) {}

  [[nodiscard]] std::string_view name() const override { return world_->name(); }

  [[nodiscard]] std::size_t size() const override { return world_->size(); }

  RunReport run(const std::function<void(Peer&)>& body) override {
    return world_->run([&](Peer& peer) {
      if (peer.id() == PeerId{1}) {
        throw Error(ExitCode::peers_lost, "peer 1: never came");
      }
      body(peer);
    });
  }

 private:
  std::unique_ptr<World> world_;
};

TEST(Loss, BeforeTheFirstStepThereIsNothingToResumeAndNoPolicyToChange) {
  for (const char* algorithm : {"dsgd", "allreduce-sgd"}) {
    for (const std::uint64_t every : {0U, 5U}) {
      const TempDirectory directory;
      Experiment experiment = toy(algorithm, 3, 10);
      experiment.checkpoint = {.directory = directory.path(), .every = every};
      const auto factory = [](const WorldRequest& request) {
        return std::make_unique<WithoutPeer1>(starling::testing::make_world(
            Kind::threads,
            {.peers = request.peers, .seed = request.seed, .observer = request.observer}));
      };
      const Summary summary = train(experiment, {.make_world = factory});
      EXPECT_EQ(summary.exit_code, ExitCode::peers_lost);
      EXPECT_EQ(summary.error, "peer 1: peer 1: never came");
    }
  }
}

/// Holds peer 2 up after three steps until somebody has given up on it.
class Hold : public Observer {
 public:
  void on_event(const Event& event) override {
    std::unique_lock lock(mutex_);
    if (std::holds_alternative<PeerGone>(event.what)) {
      given_up_ = true;
      changed_.notify_all();
    }
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && done->step == 3 && event.from == PeerId{2}) {
      changed_.wait_for(lock, std::chrono::seconds(30), [this] { return given_up_; });
    }
  }

 private:
  std::mutex mutex_;  // guards given_up_
  std::condition_variable changed_;
  bool given_up_ = false;
};

TEST(Loss, ADeadlineIsAnsweredWithALongerOne) {
  for (const char* algorithm : {"dsgd", "sgp"}) {
    Experiment experiment = toy(algorithm, 4, 10);
    experiment.timeout_seconds = 0.25;
    Hold hold;
    const Summary summary = train_on(Kind::threads, experiment, nullptr, &hold);
    EXPECT_EQ(summary.exit_code, ExitCode::peers_lost);
    EXPECT_THAT(summary.error,
                AllOf(HasSubstr("deadline"),
                      HasSubstr("; a --timeout longer than 0.25 s gives slow peers more time; ")));
  }
  Experiment experiment = toy("dsgd", 5, 10);
  DeathOfPeer3 death(3);
  EXPECT_THAT(train_on(Kind::threads, experiment, nullptr, &death).error,
              AllOf(HasSubstr("died; --on-loss continue"), Not(HasSubstr("--timeout"))));
}

/// Takes the folder of the checkpoints away after so many steps of peer 0.
class RemovedFolder : public Observer {
 public:
  RemovedFolder(std::filesystem::path folder, std::uint64_t step)
      : folder_(std::move(folder)), step_(step) {}

  void on_event(const Event& event) override {
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && done->step == step_ && event.from == PeerId{0}) {
      std::filesystem::rename(folder_, folder_.string() + "-gone");
    }
  }

 private:
  std::filesystem::path folder_;
  std::uint64_t step_;
};

TEST(Loss, AFolderThatVanishesIsNoLossOfPeers) {
  for (const Kind kind : all_kinds()) {
    for (const OnLoss on_loss : {OnLoss::stop, OnLoss::continue_}) {
      const TempDirectory directory;
      Experiment experiment = toy("dsgd", 4, 40);
      experiment.algorithm_options.on_loss = on_loss;
      experiment.checkpoint = {.directory = directory / "checkpoints", .every = 5};
      std::filesystem::create_directory(experiment.checkpoint.directory);
      RemovedFolder removed(experiment.checkpoint.directory, 12);
      const Summary summary = train_on(kind, experiment, nullptr, &removed);
      EXPECT_EQ(summary.exit_code, ExitCode::storage) << to_string(kind) << summary.error;
      EXPECT_THAT(summary.notes, Not(Contains(HasSubstr("lost")))) << to_string(kind);
    }
  }
}

/// Puts a folder where peer 2 is to write its file of one step, or of that one and all later ones,
/// and counts the warnings.
class RefusedFile : public Observer {
 public:
  RefusedFile(std::filesystem::path folder, std::uint64_t first, std::uint64_t last)
      : folder_(std::move(folder)), first_(first), last_(last) {}

  void on_event(const Event& event) override {
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && done->step >= first_ && done->step <= last_ && event.from == PeerId{2}) {
      std::filesystem::create_directories(peer_file(folder_, done->step, 2));
    }
  }

 private:
  std::filesystem::path folder_;
  std::uint64_t first_;
  std::uint64_t last_;
};

TEST(Loss, NothingMoreIsSavedOnceAPeerCouldNotWrite) {
  for (const Kind kind : all_kinds()) {
    const TempDirectory directory;
    Experiment experiment = toy("dsgd", 5, 60);
    experiment.algorithm_options.on_loss = OnLoss::continue_;
    experiment.checkpoint = {.directory = directory.path(), .every = 1, .keep = 2};
    RefusedFile refused(directory.path(), 12, 12);
    const Summary summary = train_on(kind, experiment, nullptr, &refused);
    EXPECT_EQ(summary.exit_code, ExitCode::storage) << to_string(kind);
    EXPECT_THAT(summary.error, HasSubstr("peer-00002.ckpt"));
    EXPECT_THAT(summary.notes,
                Contains("checkpoints are incomplete since peer 2 could not write, and no more are "
                         "saved; a resume goes on from step 11"));
    EXPECT_EQ(resumable_step(directory.path()), 11U) << to_string(kind);
    EXPECT_LE(checkpoint_steps(directory.path()).size(), 2U) << to_string(kind);
    EXPECT_EQ(checkpoint_steps(directory.path()).back(), 11U) << to_string(kind);
  }
}

/// Beside the two to be kept there may be those that the peers are apart: three rounds of an
/// exponential graph of five.
TEST(Loss, WhatOnePeerCannotWriteTheOthersDoNotKeep) {
  for (const Kind kind : all_kinds()) {
    const TempDirectory directory;
    Experiment experiment = toy("dsgd", 5, 60);
    experiment.checkpoint = {.directory = directory.path(),
                             .every = 1,
                             .keep = 2,
                             .on_error = OnStorageError::continue_};
    RefusedFile refused(directory.path(), 12, 50);
    EXPECT_EQ(train_on(kind, experiment, nullptr, &refused).exit_code, ExitCode::ok);
    EXPECT_EQ(resumable_step(directory.path()), 60U) << to_string(kind);
    EXPECT_LE(checkpoint_steps(directory.path()).size(), 5U) << to_string(kind);

    const TempDirectory other;
    experiment.checkpoint.directory = other.path();
    RefusedFile to_the_end(other.path(), 12, 60);
    EXPECT_EQ(train_on(kind, experiment, nullptr, &to_the_end).exit_code, ExitCode::ok);
    EXPECT_EQ(resumable_step(other.path()), 11U) << to_string(kind);
    EXPECT_LE(checkpoint_steps(other.path()).size(), 5U) << to_string(kind);
  }
}

TEST(LostPeers, AreThoseThatAreGoneAndOneWarningIsEnough) {
  LostPeers lost;
  EXPECT_TRUE(lost.ranks().empty());
  lost.on_event({PeerId{4}, {}, PeerGone{PeerId{4}, "died"}});
  lost.on_event({PeerId{1}, {}, PartnerLost{PeerId{2}, 3, "late, but there"}});
  lost.on_event({PeerId{0}, {}, PeerGone{PeerId{0}, "died"}});
  lost.on_event({PeerId{2}, {}, PeerGone{PeerId{2}, "no such folder", ExitCode::storage}});
  EXPECT_THAT(lost.ranks(), ::testing::ElementsAre(0U, 2U, 4U));
  EXPECT_FALSE(lost.has_warned());
  EXPECT_TRUE(lost.is_first_to_warn());
  EXPECT_FALSE(lost.is_first_to_warn());
  EXPECT_TRUE(lost.has_warned());
  EXPECT_THAT(incomplete_since(lost.losses(), "/nowhere"),
              AllOf(HasSubstr("since peer 0, peer 4 were lost and peer 2 could not write, and"),
                    HasSubstr("none to resume")));
}

}  // namespace
}  // namespace starling::trainer
