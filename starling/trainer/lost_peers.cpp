#include "starling/trainer/lost_peers.hpp"

#include <optional>
#include <variant>

#include "starling/core/ensure.hpp"
#include "starling/core/peer_id.hpp"
#include "starling/trainer/checkpoint.hpp"

namespace starling::trainer {

void LostPeers::on_event(const Event& event) {
  const auto* gone = std::get_if<PeerGone>(&event.what);
  if (gone != nullptr && gone->code != ExitCode::storage) {
    const std::lock_guard lock(mutex_);
    ranks_.insert(gone->peer.value);
  }
}

std::vector<std::uint64_t> LostPeers::ranks() const {
  const std::lock_guard lock(mutex_);
  return {ranks_.begin(), ranks_.end()};
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

std::string incomplete_since(const std::vector<std::uint64_t>& lost,
                             const std::filesystem::path& directory) {
  ensure(!lost.empty(), "somebody was lost");
  std::string who;
  for (const std::uint64_t rank : lost) {
    who += (who.empty() ? "" : ", ") + to_string(PeerId{rank});
  }
  const std::optional<std::uint64_t> step = resumable_step(directory);
  return "checkpoints are incomplete since " + who + (lost.size() == 1 ? " was" : " were") +
         " lost, and no more are saved; " +
         (step ? "a resume goes on from step " + std::to_string(*step)
               : std::string("there is none to resume from"));
}

}  // namespace starling::trainer
