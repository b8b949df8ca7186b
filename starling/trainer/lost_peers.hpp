// Who has been lost in a run, for those who save checkpoints: one without all peers is never
// complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "starling/core/event.hpp"
#include "starling/core/exit_code.hpp"

namespace starling::trainer {

/// Why a peer ended early, by rank.
using Losses = std::map<std::uint64_t, ExitCode>;

/// The peers of one process that ended early; safe to ask and to tell from several threads.
class LostPeers {
 public:
  /// Takes note of a PeerGone, whatever it ended of: what it has not saved nobody saves any more.
  void on_event(const Event& event);

  [[nodiscard]] Losses losses() const;

  /// Ranks, ascending.
  [[nodiscard]] std::vector<std::uint64_t> ranks() const;

  /// A peer that goes on could not write its file of this step.
  void could_not_write(std::uint64_t step);

  /// Whether a peer that goes on could not write its file of this step. Known of the newest steps
  /// only, more than peers are ever apart.
  [[nodiscard]] bool is_unwritten(std::uint64_t step) const;

  /// True the first time: one warning is enough for all peers.
  bool is_first_to_warn();

  [[nodiscard]] bool has_warned() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  Losses losses_;
  std::set<std::uint64_t> unwritten_;
  bool has_warned_ = false;
};

/// "checkpoints are incomplete since peer 3 was lost ..." or "... could not write ..." and where a
/// resume goes on from. @pre lost is not empty
std::string incomplete_since(const Losses& lost, const std::filesystem::path& directory);

}  // namespace starling::trainer
