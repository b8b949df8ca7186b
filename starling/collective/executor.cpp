#include "starling/collective/executor.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "starling/collective/abandon.hpp"
#include "starling/collective/call_words.hpp"
#include "starling/collective/combine.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Runs of this length that are lent next are read by another core: fetching them from this core's
/// cache costs it more than reading them from memory.
constexpr std::size_t kStreamedLoanMin = std::size_t{32} << 10U;

}  // namespace

/// One run of a plan.
class Executor::Call {
 public:
  Call(Executor& executor, const Plan& plan, const Operands& operands, const Terms& terms)
      : executor_(executor),
        group_(*executor.group_),
        memory_(executor.memory_),
        progress_(executor.progress_),
        plan_(plan),
        terms_(terms),
        elements_(operands.elements),
        element_bytes_(size_of(operands.output.type())),
        message_bytes_(whole_elements(terms.message_bytes)),
        has_all_(plan.request.operation == Operation::broadcast &&
                 plan.request.rank == plan.request.root),
        until_(working_deadline(group_, terms.deadline)) {
    memory_.set(plan, operands);
    digest_ = digest_of(identity());
    progress_.resize(plan.lanes.size());
    for (Progress& lane : progress_) {
      lane.round = lane.next = lane.received = lane.settled = 0;
      lane.posted.clear();
      lane.posted_upto.clear();
    }
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// What is still lent is taken back before the memory goes.
  ~Call() {
    take_back_sends();
    memory_.clear();
  }

  void run() {
    try {
      exchange();
    } catch (const PeerLost& lost) {
      const Remaining left = remaining();
      take_back_sends();
      throw PeerLost(abandon(group_, left, lost.failure()));
    }
  }

 private:
  Executor& executor_;
  const Group& group_;
  Memory& memory_;
  std::vector<Progress>& progress_;
  const Plan& plan_;
  const Terms& terms_;
  std::size_t elements_;
  std::size_t element_bytes_;
  std::size_t message_bytes_;
  bool has_all_;  // what comes back to the root of a broadcast may be lent just now
  std::uint64_t digest_ = 0;
  Deadline until_;
  std::size_t failed_lane_ = 0;

  /// The longest message of whole elements.
  [[nodiscard]] std::size_t whole_elements(std::size_t bytes) const {
    const std::size_t limit = bytes == 0 ? kMessageBytesMax : std::min(bytes, kMessageBytesMax);
    return std::max(limit / element_bytes_, std::size_t{1}) * element_bytes_;
  }

  void take_back_sends() noexcept {
    for (Progress& lane : progress_) {
      lane.posted.clear();
    }
  }

  void exchange() {
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      (void)next_hope(lane);  // the first sends are under way before anything else is done
    }
    copy_kept();
    if (plan_.lanes.size() == 1) {
      while (const auto hope = next_hope(0)) {
        if (hope->send != nullptr) {
          settle_one(0);
        } else {
          receive(0, Patience::waits);
        }
      }
    } else {
      progress_together();
    }
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      while (progress_[lane].settled < progress_[lane].posted.size()) {
        settle_one(lane);
      }
    }
  }

  /// Whichever lane can go on does; waits only if none can. Never waits for one lane alone: the
  /// other end may be waiting in another one.
  void progress_together() {
    for (;;) {
      executor_.hopes_.clear();
      executor_.hoping_.clear();
      for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
        if (const auto hope = next_hope(lane)) {
          executor_.hopes_.push_back(*hope);
          executor_.hoping_.push_back(lane);
        }
      }
      if (executor_.hopes_.empty()) {
        return;
      }
      const Result<std::size_t> come = group_.peer().await_any(executor_.hopes_, until_);
      if (!come) {
        fail(executor_.hoping_.front(), come.error());
      }
      const std::size_t lane = executor_.hoping_[*come];
      if (executor_.hopes_[*come].send != nullptr) {
        settle_one(lane);
      } else {
        receive(lane, Patience::takes_what_is_there);
      }
    }
  }

  /// Posts what the lane can post and says what it needs to go on: the oldest send, if a later one
  /// or its next write must wait for that, or its next message. Nothing: the lane is at its end.
  std::optional<Hope> next_hope(std::size_t lane) {
    Progress& progress = progress_[lane];
    const PlannedLane& planned = plan_.lanes[lane];
    while (progress.round < planned.rounds()) {
      if (progress.next == planned.begins[progress.round]) {
        if (progress.settled < messages_of_old_rounds(lane)) {
          return hope_for_oldest_send(lane);
        }
        post_sends(lane);
      }
      if (progress.next == planned.begins[progress.round + 1]) {
        progress.round += 1;
        continue;
      }
      const PlannedTransfer& next = planned.transfers[progress.next];
      if (progress.settled < messages_upto(lane, next.settled)) {
        return hope_for_oldest_send(lane);
      }
      return Hope{group_.member(next.peer), tag(lane), nullptr};
    }
    return std::nullopt;
  }

  [[nodiscard]] Hope hope_for_oldest_send(std::size_t lane) {
    const Posted& oldest = progress_[lane].posted[progress_[lane].settled];
    return {group_.member(oldest.to), tag(lane), &oldest.pending};
  }

  void copy_kept() {
    for (const Range& run : plan_.kept) {
      const Range whole{0, memory_.size_of(run)};
      if (whole.empty()) {
        continue;
      }
      const ConstValues from = memory_.read(Place::input, run, whole);
      const Values to = memory_.write(Place::output, run, whole);
      if (from.bytes().data() != to.bytes().data()) {
        move_into(from, to, Store::cached);
      }
    }
  }

  /// The sends of the lane's round, which are its first transfers.
  void post_sends(std::size_t lane) {
    const PlannedLane& planned = plan_.lanes[lane];
    Progress& progress = progress_[lane];
    for (const PlannedTransfer& each : planned.round(progress.round)) {
      if (each.action != Action::send) {
        return;
      }
      post(lane, planned, each);
      progress.next += 1;
    }
  }

  /// How many messages must be over before the sends of the lane's round.
  [[nodiscard]] std::size_t messages_of_old_rounds(std::size_t lane) const {
    const std::size_t round = progress_[lane].round;
    std::size_t recent = 0;
    for (std::size_t k = rounds_to_be_over(plan_.schedule, lane, round); k < round; ++k) {
      for (const PlannedTransfer& each : plan_.lanes[lane].round(k)) {
        recent += each.action == Action::send ? 1 : 0;
      }
    }
    return messages_upto(lane, progress_[lane].posted_upto.size() - recent);
  }

  /// How many messages the first `sends` sends of the lane are.
  [[nodiscard]] std::size_t messages_upto(std::size_t lane, std::size_t sends) const {
    return sends == 0 ? 0 : progress_[lane].posted_upto[sends - 1];
  }

  /// Waits for the oldest message of the lane.
  void settle_one(std::size_t lane) {
    Progress& progress = progress_[lane];
    Posted& oldest = progress.posted[progress.settled];
    const Result<void> done = oldest.pending.wait(until_);
    if (!done) {
      fail(lane, done.error());
    }
    oldest.packed = Buffer{};
    progress.settled += 1;
  }

  /// In how many messages so many bytes travel.
  [[nodiscard]] std::size_t messages_for(std::size_t bytes) const {
    return bytes == 0 ? 1 : (bytes + message_bytes_ - 1) / message_bytes_;
  }

  void post(std::size_t lane, const PlannedLane& planned, const PlannedTransfer& transfer) {
    Progress& progress = progress_[lane];
    const auto runs = planned.runs_of(transfer);
    std::span<const std::byte> payload = memory_.in_one_piece(runs);
    Buffer packed;
    if (payload.size() != memory_.bytes_of(runs)) {
      packed = memory_.pack(runs);
      payload = packed.bytes();
    }
    const std::size_t messages = messages_for(payload.size());
    for (std::size_t index = 0; index < messages; ++index) {
      const std::size_t begin = index * message_bytes_;
      const auto part = payload.subspan(begin, std::min(message_bytes_, payload.size() - begin));
      progress.posted.push_back(
          {handle_of(packed),
           group_.post(transfer.peer, tag(lane), stamp(lane, progress.round, index), part),
           transfer.peer});
    }
    progress.posted_upto.push_back(progress.posted.size());
  }

  static Buffer handle_of(const Buffer& packed) {
    return packed.empty() ? Buffer{} : packed.share();
  }

  enum class Patience : std::uint8_t { waits, takes_what_is_there };

  /// The next transfer of the lane, which is a receive; its first message may turn out not to be
  /// there yet.
  void receive(std::size_t lane, Patience patience) {
    Progress& progress = progress_[lane];
    const PlannedLane& planned = plan_.lanes[lane];
    const PlannedTransfer& transfer = planned.transfers[progress.next];
    const auto runs = planned.runs_of(transfer);
    std::size_t current = 0;  // run the next element belongs to
    std::size_t done = 0;     // elements of it that have arrived
    const auto sink = [&](std::size_t, std::span<const std::byte> bytes) {
      while (!bytes.empty()) {
        const std::size_t whole = memory_.size_of(runs[current].blocks);
        const std::size_t count = std::min(bytes.size() / element_bytes_, whole - done);
        const auto piece = bytes.first(count * element_bytes_);
        take(transfer.action, runs[current], {done, done + count}, piece);
        bytes = bytes.subspan(piece.size());
        done += count;
        if (done == whole) {
          current += 1;
          done = 0;
        }
      }
    };
    const std::size_t bytes = memory_.bytes_of(runs);
    for (const std::size_t messages = messages_for(bytes); progress.received < messages;
         ++progress.received) {
      const std::size_t begin = progress.received * message_bytes_;
      const Expected expected{stamp(lane, progress.round, progress.received),
                              std::min(message_bytes_, bytes - begin)};
      if (patience == Patience::takes_what_is_there && progress.received == 0) {
        const auto received =
            group_.try_receive_pieces(transfer.peer, tag(lane), expected, sink, until_);
        if (!received) {
          fail(lane, received.error());
        }
        if (!*received) {
          return;
        }
        continue;
      }
      const auto received = group_.receive_pieces(transfer.peer, tag(lane), expected, sink, until_);
      if (!received) {
        fail(lane, received.error());
      }
    }
    progress.next += 1;
    progress.received = 0;
  }

  /// @param piece its elements within the run
  void take(Action action,
            const PlannedRun& run,
            const Range& piece,
            std::span<const std::byte> bytes) const {
    if (piece.empty()) {
      return;
    }
    if (has_all_) {
      return;
    }
    const ConstValues arrived(memory_.type(), bytes);
    const Values target = memory_.write(run.to, run.blocks, piece);
    const Store store = store_for(run);
    if (action == Action::copy) {
      move_into(arrived, target, store);
      return;
    }
    const bool scales = run.finishes && terms_.reduction == Reduction::mean;
    const Combination how{terms_.reduction, scales ? group_.size() : 1, store};
    combine(how, memory_.read(run.from, run.blocks, piece), arrived, target);
  }

  [[nodiscard]] Store store_for(const PlannedRun& run) const {
    const bool streams = (run.next == NextUse::none &&
                          store_for_vector(elements_ * element_bytes_) == Store::streamed) ||
                         (run.next == NextUse::lend &&
                          memory_.size_of(run.blocks) * element_bytes_ >= kStreamedLoanMin);
    return streams ? Store::streamed : Store::cached;
  }

  [[nodiscard]] std::uint16_t lane_of_channel(std::size_t lane) const {
    return static_cast<std::uint16_t>(terms_.slot * kLanesOfSlot + lane);
  }

  [[nodiscard]] Tag tag(std::size_t lane) const {
    return {Purpose::collective, lane_of_channel(lane)};
  }

  /// Equal at both ends of a message only if both run the same operation and are in the same place
  /// of it.
  [[nodiscard]] Stamp stamp(std::size_t lane, std::size_t round, std::size_t index) const {
    const std::uint64_t place = mixed(mixed(mixed(digest_, lane), round), index);
    return {0, static_cast<std::uint32_t>(place) & ~kAbandoned, terms_.round, 1.0};
  }

  [[nodiscard]] CallIdentity identity() const {
    return {.request = plan_.request,
            .algorithm = terms_.algorithm,
            .elements = elements_,
            .type = memory_.type(),
            .reduction = terms_.reduction,
            .message_bytes = message_bytes_};
  }

  [[noreturn]] void fail(std::size_t lane, const Failure& failure) {
    failed_lane_ = lane;
    throw PeerLost(failure);
  }

  /// What is lent and may not have been read counts as left: it is about to be taken back.
  [[nodiscard]] Remaining remaining() const {
    Remaining left{.first_lane = lane_of_channel(0),
                   .failed_lane = lane_of_channel(failed_lane_),
                   .inquiries = lane_of_channel(kLanesOfSlot - 1),
                   .round = terms_.round,
                   .deadline = terms_.deadline,
                   .operation = words_of(identity()) + " in round " + std::to_string(terms_.round),
                   .transfers = {}};
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      const auto& planned = plan_.lanes[lane];
      std::size_t sent = 0;  // messages of the sends so far
      for (std::size_t k = 0; k < planned.transfers.size(); ++k) {
        const PlannedTransfer& each = planned.transfers[k];
        const std::size_t messages = messages_for(memory_.bytes_of(planned.runs_of(each)));
        const std::size_t done = messages_done(lane, k, sent, messages);
        sent += each.action == Action::send ? messages : 0;
        left.transfers.insert(
            left.transfers.end(), messages - done, {lane_of_channel(lane), each.peer, each.action});
      }
    }
    return left;
  }

  /// Of the transfer `index`, which is so many messages, `sent` messages having been sent before
  /// it.
  [[nodiscard]] std::size_t messages_done(std::size_t lane,
                                          std::size_t index,
                                          std::size_t sent,
                                          std::size_t messages) const {
    const Progress& progress = progress_[lane];
    if (plan_.lanes[lane].transfers[index].action == Action::send) {
      return progress.settled <= sent ? 0 : std::min(messages, progress.settled - sent);
    }
    return index < progress.next ? messages : (index == progress.next ? progress.received : 0);
  }
};

void Executor::run(const Plan& plan, const Operands& operands, const Terms& terms) {
  ensure(plan.request.peers == group_->size() && plan.request.rank == group_->rank(),
         "a plan runs on the group it was made for",
         plan.request.peers,
         group_->size());
  ensure(plan.lanes.size() < kLanesOfSlot && terms.slot < kSlots,
         "a plan has fewer lanes than its part of the channel",
         plan.lanes.size(),
         terms.slot);
  Call(*this, plan, operands, terms).run();
}

}  // namespace starling::collective
