#include "starling/trainer/lost_peers.hpp"

#include <cstddef>
#include <optional>
#include <variant>

#include "starling/core/ensure.hpp"
#include "starling/core/peer_id.hpp"
#include "starling/trainer/checkpoint.hpp"

namespace starling::trainer {

namespace {

/// "peer 3, peer 5 were lost", for those of whom `belongs` holds; "" if there are none.
template <class Belongs>
std::string list(const Losses& lost,
                 Belongs belongs,
                 const std::string& of_one,
                 const std::string& of_many) {
  std::string who;
  std::size_t count = 0;
  for (const auto& [rank, code] : lost) {
    if (belongs(code)) {
      who += (who.empty() ? "" : ", ") + to_string(PeerId{rank});
      ++count;
    }
  }
  return count == 0 ? who : who + (count == 1 ? of_one : of_many);
}

}  // namespace

void LostPeers::on_event(const Event& event) {
  if (const auto* gone = std::get_if<PeerGone>(&event.what)) {
    const std::lock_guard lock(mutex_);
    losses_.emplace(gone->peer.value, gone->code);
  }
}

Losses LostPeers::losses() const {
  const std::lock_guard lock(mutex_);
  return losses_;
}

std::vector<std::uint64_t> LostPeers::ranks() const {
  std::vector<std::uint64_t> ranks;
  for (const auto& [rank, code] : losses()) {
    ranks.push_back(rank);
  }
  return ranks;
}

void LostPeers::could_not_write(std::uint64_t step) {
  constexpr std::size_t kStepsMax = 4096;
  const std::lock_guard lock(mutex_);
  unwritten_.insert(step);
  if (unwritten_.size() > kStepsMax) {
    unwritten_.erase(unwritten_.begin());
  }
}

bool LostPeers::is_unwritten(std::uint64_t step) const {
  const std::lock_guard lock(mutex_);
  return unwritten_.contains(step);
}

bool LostPeers::is_first_to_warn() {
  const std::lock_guard lock(mutex_);
  const bool first = !has_warned_;
  has_warned_ = true;
  return first;
}

bool LostPeers::has_warned() const {
  const std::lock_guard lock(mutex_);
  return has_warned_;
}

std::string incomplete_since(const Losses& lost, const std::filesystem::path& directory) {
  ensure(!lost.empty(), "somebody was lost");
  const auto is_storage = [](ExitCode code) { return code == ExitCode::storage; };
  const std::string without_disk = list(lost, is_storage, " could not write", " could not write");
  const std::string gone = list(
      lost, [&](ExitCode code) { return !is_storage(code); }, " was lost", " were lost");
  const std::string both = without_disk.empty() || gone.empty() ? "" : " and ";
  const std::optional<std::uint64_t> step = resumable_step(directory);
  return "checkpoints are incomplete since " + gone + both + without_disk +
         ", and no more are saved; " +
         (step ? "a resume goes on from step " + std::to_string(*step)
               : std::string("there is none to resume from"));
}

}  // namespace starling::trainer
