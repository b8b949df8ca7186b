#include "starling/collective/background.hpp"

#include <atomic>
#include <exception>
#include <stop_token>
#include <utility>
#include <vector>

#include "starling/core/error.hpp"

namespace starling::collective {

namespace {

/// Sets a flag when it goes, however that comes about.
class WhenLeft {
 public:
  explicit WhenLeft(std::atomic<bool>& flag) : flag_(flag) {}

  WhenLeft(const WhenLeft&) = delete;
  WhenLeft& operator=(const WhenLeft&) = delete;

  ~WhenLeft() { flag_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

/// One operation and how it ended.
struct Handle::State {
  std::atomic<bool> done{false};
  bool joined = false;
  std::exception_ptr error;
  std::unique_ptr<Activity> activity;  // last: stops and joins before the rest goes

  /// False if the deadline has passed before the end.
  bool join(Deadline deadline) {
    if (joined) {
      return true;
    }
    try {
      if (!activity->join(deadline)) {
        return false;
      }
    } catch (...) {
      error = std::current_exception();
    }
    joined = true;
    return true;
  }
};

bool Handle::is_done() const {
  return state_ == nullptr || state_->done.load(std::memory_order_acquire);
}

void Handle::wait(Deadline deadline) {
  if (state_ == nullptr) {
    return;
  }
  if (!state_->join(deadline)) {
    Failure failure;
    failure.kind = FailureKind::deadline;
    failure.what = "a group operation in the background did not end in time";
    throw PeerLost(failure);
  }
  const std::exception_ptr error = std::exchange(state_, nullptr)->error;
  if (error) {
    std::rethrow_exception(error);
  }
}

Background::Background(const Group& group, Selection selection)
    : group_(&group), selection_(std::move(selection)) {}

Handle Background::start(std::function<void(Collective&)> operation) {
  const std::size_t slot = 1 + started_++ % (kSlots - 1);
  if (const auto before = std::exchange(last_[slot], nullptr)) {
    (void)before->join(Deadline{Time::max()});  // it has a deadline of its own
  }
  std::vector<PeerId> members;
  for (std::size_t rank = 0; rank < group_->size(); ++rank) {
    members.push_back(group_->member(rank));
  }
  auto state = std::make_shared<Handle::State>();
  const auto work = [state = state.get(),
                     slot,
                     members = std::move(members),
                     version = group_->version(),
                     selection = selection_,
                     operation = std::move(operation)](Peer& peer, const std::stop_token&) {
    const WhenLeft done(state->done);
    const Group group(peer, members, version);
    Collective collective(group, selection, slot);
    operation(collective);
  };
  state->activity = group_->peer().spawn("collective", work);
  last_[slot] = state;
  return Handle(std::move(state));
}

}  // namespace starling::collective
