#include "starling/trainer/checkpoint.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "starling/core/error.hpp"
#include "starling/core/sha256.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/sections.hpp"

#include "tests/support/small_disk.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::content_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::put_content;
using testing::SmallDisk;
using testing::TempDirectory;

constexpr const char* kExperiment = "algorithm = sgp\nlr = 0.05\n";

PeerState state_of(std::uint64_t peers, std::uint64_t peer, std::uint64_t step) {
  PeerState state;
  state.peers = peers;
  state.peer = peer;
  state.step = step;
  state.experiment = kExperiment;
  state.parameters = {1.0F, -0.0F, static_cast<float>(peer), static_cast<float>(step)};
  state.vectors = {{"optimizer.momentum", {0.5F, 1e-40F, 3.0F, 4.0F}}, {"algorithm.empty", {}}};
  state.scalars = {{"push_sum.weight", 0.1}, {"huge", std::numeric_limits<double>::infinity()}};
  state.counters = {{"optimizer.steps", step}, {"largest", ~std::uint64_t{0}}};
  state.random = {{"batches", {1, 2, 3}}, {"partner", {~std::uint64_t{0}, 0, 7}}};
  state.data = {.epoch = 3, .step = 2, .order = {5, 1, 4, 0}, .taken = 2};
  return state;
}

void save_all(const fs::path& directory, std::uint64_t peers, std::uint64_t step) {
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    save(directory, state_of(peers, peer, step), 100);
  }
}

std::string data_error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

/// Changes one byte of a file.
void damage(const fs::path& file, std::size_t offset) {
  std::string content = content_of(file);
  content.at(offset) = static_cast<char>(content[offset] ^ 0x20);
  put_content(file, content);
}

TEST(Checkpoint, BringsEverythingBackBitForBit) {
  const TempDirectory directory;
  const PeerState state = state_of(4, 3, 200);
  save(directory.path(), state, 1);
  const fs::path file = directory.path() / "step-000000200" / "peer-00003.ckpt";
  ASSERT_TRUE(fs::exists(file));
  const PeerState loaded = load_peer(file);
  EXPECT_EQ(loaded, state);
  EXPECT_TRUE(std::signbit(loaded.parameters[1])) << "-0.0 keeps its sign";
}

TEST(Checkpoint, KeepsNotANumberAsItIs) {
  const TempDirectory directory;
  PeerState state = state_of(1, 0, 1);
  state.parameters = {std::numeric_limits<float>::quiet_NaN()};
  state.scalars = {{"nan", std::numeric_limits<double>::quiet_NaN()}};
  save(directory.path(), state, 1);
  const PeerState loaded = load_peer(peer_file(directory.path(), 1, 0));
  EXPECT_EQ(std::memcmp(loaded.parameters.data(), state.parameters.data(), sizeof(float)), 0);
  EXPECT_TRUE(std::isnan(loaded.scalars.at("nan")));
}

TEST(Checkpoint, TheNewestCompleteOneIsFound) {
  const TempDirectory directory;
  save_all(directory.path(), 3, 100);
  save_all(directory.path(), 3, 200);
  save(directory.path(), state_of(3, 0, 300), 100);  // the run died before peers 1 and 2 saved
  const Checkpoint found = load_checkpoint(directory.path(), kExperiment);
  EXPECT_EQ(found.step, 200U);
  ASSERT_EQ(found.peers.size(), 3U);
  EXPECT_EQ(found.peers[2], state_of(3, 2, 200));
  EXPECT_THAT(found.notes,
              ElementsAre(AllOf(HasSubstr("step-000000300"), HasSubstr("peer 1 of 3 is missing"))));
}

TEST(Checkpoint, AStepDirectoryNamesOneCheckpoint) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  save_all(directory.path(), 2, 200);
  const fs::path step = step_directory(directory.path(), 100);
  EXPECT_EQ(load_checkpoint(step, kExperiment).step, 100U);
  EXPECT_EQ(load_checkpoint(step / "", kExperiment).step, 100U) << "a slash at the end is fine";
}

TEST(Checkpoint, ADamagedFileIsRefusedAndTheOlderOneOffered) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  save_all(directory.path(), 2, 200);
  const fs::path file = peer_file(directory.path(), 200, 1);
  damage(file, 60);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              AllOf(HasSubstr(file.string()),
                    HasSubstr("damaged"),
                    HasSubstr("SHA-256"),
                    HasSubstr("resume from " + step_directory(directory.path(), 100).string())));
}

TEST(Checkpoint, AnOfferIsVerifiedBeforeItIsMade) {
  const TempDirectory directory;
  for (const std::uint64_t step : {50U, 100U, 200U}) {
    save_all(directory.path(), 2, step);
  }
  damage(peer_file(directory.path(), 200, 0), 60);
  damage(peer_file(directory.path(), 100, 1), 60);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              HasSubstr("resume from " + step_directory(directory.path(), 50).string()));
  damage(peer_file(directory.path(), 50, 0), 60);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              HasSubstr("no older checkpoint of this experiment"));
}

TEST(Checkpoint, EveryTruncationIsRefused) {
  const TempDirectory directory;
  save(directory.path(), state_of(1, 0, 1), 1);
  const fs::path file = peer_file(directory.path(), 1, 0);
  const std::string content = content_of(file);
  const auto bytes = std::as_bytes(std::span(content));
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_THAT(data_error_of([&] { decode_sections(bytes.first(size), "the file"); }),
                AllOf(HasSubstr("the file"), HasSubstr("truncated")))
        << size;
  }
  put_content(file, content.substr(0, content.size() / 2));
  EXPECT_THAT(data_error_of([&] { load_peer(file); }),
              AllOf(HasSubstr(file.string()), HasSubstr("truncated")));
  put_content(file, content + "x");
  EXPECT_THAT(data_error_of([&] { load_peer(file); }), HasSubstr("trailing"));
}

TEST(Checkpoint, EveryFlippedBitIsRefused) {
  const TempDirectory directory;
  save(directory.path(), state_of(1, 0, 1), 1);
  std::string content = content_of(peer_file(directory.path(), 1, 0));
  for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
    char& byte = content[bit / 8];
    const char kept = byte;
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    EXPECT_THROW(decode_sections(std::as_bytes(std::span(content)), "file"), DataError) << bit;
    byte = kept;
  }
}

/// `content` with the checksum that fits it, as a faulty writer would make it.
std::string resealed(std::string content) {
  const auto covered = std::as_bytes(std::span(content)).first(content.size() - sizeof(Digest));
  const Digest digest = sha256(covered);
  std::memcpy(content.data() + covered.size(), digest.data(), digest.size());
  return content;
}

TEST(Checkpoint, LengthsAreCheckedEvenUnderAValidChecksum) {
  const TempDirectory directory;
  save(directory.path(), state_of(1, 0, 1), 1);
  const fs::path file = peer_file(directory.path(), 1, 0);
  const std::string content = content_of(file);
  std::size_t refused = 0;
  for (std::size_t offset = 12; offset + sizeof(Digest) < content.size(); offset += 7) {
    std::string changed = content;
    changed[offset] = static_cast<char>(changed[offset] ^ 0xFF);
    put_content(file, resealed(changed));
    try {
      load_peer(file);  // some bytes are only values: those may change
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20U);
}

TEST(Checkpoint, AnotherVersionIsRefused) {
  const TempDirectory directory;
  save(directory.path(), state_of(1, 0, 1), 1);
  const fs::path file = peer_file(directory.path(), 1, 0);
  std::string content = content_of(file);
  content[8] = 9;
  put_content(file, resealed(content));
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              AllOf(HasSubstr(file.string()), HasSubstr("version 9"), HasSubstr("reads 1")));
  content[0] = 'X';
  put_content(file, resealed(content));
  EXPECT_THAT(data_error_of([&] { load_peer(file); }), HasSubstr("not a checkpoint"));
}

TEST(Checkpoint, AnotherExperimentIsRefusedByItsFirstDifference) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  EXPECT_THAT(
      data_error_of([&] { load_checkpoint(directory.path(), "algorithm = sgp\nlr = 0.1\n"); }),
      AllOf(HasSubstr("another experiment"),
            HasSubstr("expected `lr = 0.1`"),
            HasSubstr("found `lr = 0.05`")));
}

TEST(Checkpoint, AFolderThatCannotBeLookedIntoIsNotAnEmptyOne) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  const std::filesystem::path file = peer_file(directory.path(), 100, 0);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(file, kExperiment); }),
              HasSubstr(file.string() + ": cannot be looked into: "));
  std::filesystem::create_directory_symlink("loop", directory / "loop");
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory / "loop", kExperiment); }),
              HasSubstr("cannot be looked into"));
}

/// Not passed over as incomplete: nobody knows whether it is.
TEST(Checkpoint, AFileThatCannotBeLookedAtIsNotAMissingOne) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  save_all(directory.path(), 2, 200);
  const fs::path file = peer_file(directory.path(), 200, 1);
  fs::remove(file);
  fs::create_symlink(file.filename(), file);  // a circle
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              AllOf(HasSubstr(file.string() + ": cannot be looked at: "),
                    HasSubstr("; resume from " + step_directory(directory.path(), 100).string())));
}

TEST(Checkpoint, APipeInThePlaceOfAFileIsNotWaitedFor) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 200);
  const fs::path file = peer_file(directory.path(), 200, 1);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              HasSubstr(file.string() + ": expected a regular file"));
}

TEST(Checkpoint, AnEmptyDirectoryIsRefusedWithAHint) {
  const TempDirectory directory;
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              HasSubstr("no complete checkpoint"));
  make_directory(directory / "checkpoints");
  save_all(directory / "checkpoints", 2, 100);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              HasSubstr("did you mean " + (directory / "checkpoints").string()));
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory / "nowhere", kExperiment); }),
              HasSubstr("nowhere"));
}

TEST(Checkpoint, AnExplicitStepThatIsIncompleteIsRefused) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  save(directory.path(), state_of(2, 0, 200), 100);
  EXPECT_THAT(
      data_error_of([&] { load_checkpoint(step_directory(directory.path(), 200), kExperiment); }),
      AllOf(HasSubstr("peer 1 of 2 is missing"),
            HasSubstr("resume from " + step_directory(directory.path(), 100).string())));
}

TEST(Checkpoint, FilesUnderAnotherNameAreRefused) {
  const TempDirectory directory;
  save_all(directory.path(), 2, 100);
  fs::copy_file(peer_file(directory.path(), 100, 0),
                peer_file(directory.path(), 100, 1),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(data_error_of([&] { load_checkpoint(directory.path(), kExperiment); }),
              AllOf(HasSubstr("of peer 1"), HasSubstr("of peer 0")));
}

TEST(Checkpoint, ASmallerRunOverwritesAStepOfALargerOne) {
  const TempDirectory directory;
  save_all(directory.path(), 4, 100);
  save_all(directory.path(), 2, 100);
  EXPECT_EQ(load_checkpoint(directory.path(), kExperiment).peers.size(), 2U);
}

TEST(Prune, KeepsTheNewestCompleteOnes) {
  const TempDirectory directory;
  for (std::uint64_t step = 5; step <= 25; step += 5) {
    for (std::uint64_t peer = 0; peer < 3; ++peer) {
      save(directory.path(), state_of(3, peer, step), 2);
    }
  }
  // Peers 0 and 1 saved step 25 before it was complete, so their files of step 15 wait for the next
  // save.
  EXPECT_TRUE(fs::exists(peer_file(directory.path(), 15, 0)));
  EXPECT_FALSE(fs::exists(peer_file(directory.path(), 15, 2)));
  for (std::uint64_t peer = 0; peer < 2; ++peer) {
    prune(directory.path(), state_of(3, peer, 25), 2);
  }
  EXPECT_THAT(checkpoint_steps(directory.path()), ElementsAre(20U, 25U));
}

TEST(Prune, NeverLeavesARunWithoutACompleteCheckpoint) {
  const TempDirectory directory;
  save_all(directory.path(), 3, 5);
  for (std::uint64_t step = 10; step <= 30; step += 5) {  // peer 2 is far behind
    for (std::uint64_t peer = 0; peer < 2; ++peer) {
      save(directory.path(), state_of(3, peer, step), 1);
    }
  }
  EXPECT_EQ(load_checkpoint(directory.path(), kExperiment).step, 5U);
}

TEST(Prune, LeavesLaterStepsOfAnEarlierRunAlone) {
  const TempDirectory directory;
  save_all(directory.path(), 1, 900);
  save(directory.path(), state_of(1, 0, 100), 1);
  save(directory.path(), state_of(1, 0, 200), 1);
  EXPECT_THAT(checkpoint_steps(directory.path()), ElementsAre(200U, 900U));
}

TEST(Prune, RemovesTheFilesOfALargerRunAndOfKilledWriters) {
  const TempDirectory directory;
  save_all(directory.path(), 5, 10);
  put_content(step_directory(directory.path(), 10) / ".peer-00001.ckpt.77-0.tmp", "half");
  for (const std::uint64_t step : {20U, 30U}) {
    for (std::uint64_t peer = 0; peer < 2; ++peer) {
      save(directory.path(), state_of(2, peer, step), 1);
    }
  }
  prune(directory.path(), state_of(2, 0, 30), 1);
  EXPECT_THAT(checkpoint_steps(directory.path()), ElementsAre(30U));
}

TEST(Withdraw, RemovesOnlyWhatCanNeverBeComplete) {
  const TempDirectory directory;
  save_all(directory.path(), 3, 5);
  for (const std::uint64_t step : {10U, 15U}) {
    for (const std::uint64_t peer : {0U, 1U}) {  // peer 2 has saved step 10 alone, and is gone
      save(directory.path(), state_of(3, peer, step), 3);
    }
  }
  fs::remove(peer_file(directory.path(), 10, 1));  // late, but still there
  save(directory.path(), state_of(3, 2, 10), 3);
  const std::vector<std::uint64_t> lost{2};
  EXPECT_TRUE(can_be_complete(directory.path(), 10, lost));
  EXPECT_FALSE(can_be_complete(directory.path(), 15, lost));
  EXPECT_EQ(resumable_step(directory.path()), 5U);
  for (const std::uint64_t peer : {0U, 1U}) {
    withdraw(directory.path(), state_of(3, peer, 20), lost);
  }
  EXPECT_THAT(checkpoint_steps(directory.path()), ElementsAre(5U, 10U));
  save(directory.path(), state_of(3, 1, 10), 3);
  EXPECT_EQ(resumable_step(directory.path()), 10U);
}

TEST(ResumableStep, PassesOverWhatIsDamagedAndKnowsOtherNumbersOfPeers) {
  const TempDirectory directory;
  EXPECT_EQ(resumable_step(directory.path()), std::nullopt);
  save_all(directory.path(), 4, 5);
  save_all(directory.path(), 2, 10);
  EXPECT_EQ(resumable_step(directory.path()), 10U);
  put_content(peer_file(directory.path(), 10, 0), "damaged");
  EXPECT_EQ(resumable_step(directory.path()), 5U);
}

TEST(Save, ADirectoryRemovedInMidRunIsNamed) {
  const TempDirectory directory;
  const fs::path place = directory / "checkpoints";
  make_directory(place);
  save_all(place, 1, 5);
  fs::remove_all(place);
  try {
    save(place, state_of(1, 0, 10), 1);
    ADD_FAILURE() << "a directory that is gone is no place to save to";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(place.string()), HasSubstr("free ")));
  }
}

TEST(Save, AFullDiskKeepsThePreviousCheckpoint) {
  const TempDirectory directory;
  const SmallDisk disk(directory.path(), "5m");
  if (!disk.mounted()) {
    GTEST_SKIP() << "this kernel lets us mount no small file system";
  }
  PeerState state = state_of(1, 0, 5);
  state.parameters.assign(500'000, 1.0F);  // 2 MB
  save(directory.path(), state, 2);
  state.step = 10;
  save(directory.path(), state, 2);
  state.step = 15;
  try {
    save(directory.path(), state, 2);
    ADD_FAILURE() << "three times 2 MB do not fit into 5 MB";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(peer_file(directory.path(), 15, 0).string()),
                      HasSubstr("needed 2000"),
                      HasSubstr("No space left")));
  }
  EXPECT_EQ(load_checkpoint(directory.path(), kExperiment).step, 10U);
  EXPECT_THAT(load_checkpoint(directory.path(), kExperiment).notes,
              ElementsAre(HasSubstr("step-000000015")));
}

TEST(RoomNeeded, IsKnownBeforeTheFirstSave) {
  const TempDirectory directory;
  const SmallDisk disk(directory.path(), "5m");
  if (!disk.mounted()) {
    GTEST_SKIP() << "this kernel lets us mount no small file system";
  }
  PeerState state = state_of(1, 0, 0);
  state.parameters.assign(500'000, 1.0F);
  EXPECT_THROW(ensure_room(directory.path(), room_needed(directory.path(), state, 2)),
               StorageError);
  ensure_room(directory.path(), room_needed(directory.path(), state, 1));
}

TEST(RoomNeeded, CountsAllPeersAndWhatIsThereAlready) {
  const TempDirectory directory;
  EXPECT_THAT(checkpoint_steps(directory.path()), IsEmpty());
  const std::uint64_t fresh = room_needed(directory.path(), state_of(3, 0, 10), 2);
  save_all(directory.path(), 3, 10);
  const std::uint64_t one_file = fs::file_size(peer_file(directory.path(), 10, 0));
  EXPECT_EQ(fresh, 3 * 3 * one_file);
  EXPECT_EQ(room_needed(directory.path(), state_of(3, 0, 10), 2), fresh - 3 * one_file);
}

}  // namespace
}  // namespace starling::trainer
