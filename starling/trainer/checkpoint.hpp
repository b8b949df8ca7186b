// The whole state of a run on disk: one file a peer, one directory a step. A checkpoint directory
// belongs to one run and those that resume it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/random.hpp"

namespace starling::trainer {

/// The counter that holds the length of the run in steps, as it was when the checkpoint was saved.
inline constexpr const char* kLengthCounter = "length";

/// Where a peer stands in its data.
struct DataState {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;            ///< steps of this epoch done
  std::vector<std::uint32_t> order;  ///< the epoch's samples in visiting order
  std::uint64_t taken = 0;           ///< how many of them have been visited
  bool dealt = false;                ///< a resume dealt the order: it is not drawn from the seed

  friend bool operator==(const DataState&, const DataState&) = default;
};

/// All that one peer needs to go on as if it had never stopped.
struct PeerState {
  std::uint64_t peers = 1;  ///< size of the run
  std::uint64_t peer = 0;   ///< rank of this one
  std::uint64_t step = 0;   ///< steps done
  /// What decides the result, one `name = value` a line; a resume compares it and names the first
  /// line that differs. The number of peers is no part of it.
  std::string experiment;
  std::vector<float> parameters;
  std::map<std::string, std::vector<float>>
      vectors;                                    ///< optimizer.momentum, algorithm.numerator, ...
  std::map<std::string, double> scalars;          ///< push-sum weight, ...
  std::map<std::string, std::uint64_t> counters;  ///< optimizer steps, bytes sent, ...
  std::map<std::string, Random::State> random;
  DataState data;

  friend bool operator==(const PeerState&, const PeerState&) = default;
};

/// The peers of one step, by rank.
struct Checkpoint {
  std::uint64_t step = 0;
  std::vector<PeerState> peers;
  std::filesystem::path directory;  ///< of this step
  std::vector<std::string> notes;   ///< what was passed over, for the log
};

/// "<directory>/step-000000200"
std::filesystem::path step_directory(const std::filesystem::path& directory, std::uint64_t step);

/// "<directory>/step-000000200/peer-00003.ckpt"
std::filesystem::path peer_file(const std::filesystem::path& directory,
                                std::uint64_t step,
                                std::uint64_t peer);

/// Bytes that must be free before a run of peers like this one starts: `keep` checkpoints and the
/// one being written, less what lies in `directory` already and will make room. For ensure_room().
std::uint64_t room_needed(const std::filesystem::path& directory,
                          const PeerState& state,
                          std::size_t keep);

/// Writes this peer's file atomically, and prunes before and after.
/// @pre `directory` exists: it is never made anew, so that a disk which vanished is noticed
/// @throws StorageError; the checkpoints before this one are intact then
void save(const std::filesystem::path& directory, const PeerState& state, std::size_t keep);

/// Removes the files of peer `state.peer` of all steps older than the `keep` newest complete
/// checkpoints up to `state.step`, and directories that this leaves empty. Only what is complete
/// counts, so peers that are a checkpoint apart never leave the run without one. @pre keep >= 1
/// @throws StorageError
void prune(const std::filesystem::path& directory, const PeerState& state, std::size_t keep);

/// Steps that have a directory, oldest first.
std::vector<std::uint64_t> checkpoint_steps(const std::filesystem::path& directory);

/// True if the files of all `peers` peers are there. They are renamed into place, so what is there
/// is whole; load_checkpoint() still verifies it.
bool is_complete(const std::filesystem::path& directory, std::uint64_t step, std::uint64_t peers);

/// The newest complete checkpoint, of whatever number of peers; nothing if there is none.
std::optional<std::uint64_t> resumable_step(const std::filesystem::path& directory);

/// False if one of `lost`, peers that are gone for good, has left no file of this step.
bool can_be_complete(const std::filesystem::path& directory,
                     std::uint64_t step,
                     std::span<const std::uint64_t> lost);

/// Removes the files of peer `state.peer` of all steps up to `state.step` that can never be
/// complete because one of `lost` has left none. @throws StorageError
void withdraw(const std::filesystem::path& directory,
              const PeerState& state,
              std::span<const std::uint64_t> lost);

/// Removes the file of peer `state.peer` of this step, whatever others have of it.
/// @throws StorageError
void withdraw_step(const std::filesystem::path& directory,
                   const PeerState& state,
                   std::uint64_t step);

/// Where load_checkpoint(path) looks for steps: `path`, or what it lies in if it is a step
/// directory.
std::filesystem::path checkpoints_of(const std::filesystem::path& path);

/// PeerState::experiment of the run whose checkpoints `path` names, as for load_checkpoint(): of
/// the newest step that tells; nothing if none does.
std::optional<std::string> experiment_in(const std::filesystem::path& path);

/// One peer's file, verified. @throws DataError
PeerState load_peer(const std::filesystem::path& file);

/// The newest complete checkpoint of a checkpoint directory, or the one in `path` if that is a step
/// directory. Steps that a crash left incomplete are passed over with a note. A file that is
/// damaged, of another version or of another experiment is refused; the error offers the next older
/// checkpoint that is sound.
/// @throws DataError
Checkpoint load_checkpoint(const std::filesystem::path& path, std::string_view experiment);

}  // namespace starling::trainer
