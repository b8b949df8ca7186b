// Who has been lost in a run, for those who save checkpoints: one without all peers is never
// complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "starling/core/event.hpp"

namespace starling::trainer {

/// The peers of one process that ended early; safe to ask and to tell from several threads.
class LostPeers {
 public:
  /// Takes note of a PeerGone. One that ended because the disk refused counts as little as the
  /// disk's refusal to the others: each of them hears it itself and says so.
  void on_event(const Event& event);

  /// Ranks, ascending.
  [[nodiscard]] std::vector<std::uint64_t> ranks() const;

  /// True the first time: one warning is enough for all peers.
  bool is_first_to_warn();

  [[nodiscard]] bool has_warned() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::set<std::uint64_t> ranks_;
  bool has_warned_ = false;
};

/// "checkpoints are incomplete since peer 3 was lost ..." and where a resume goes on from.
/// @pre lost is not empty
std::string incomplete_since(const std::vector<std::uint64_t>& lost,
                             const std::filesystem::path& directory);

}  // namespace starling::trainer
