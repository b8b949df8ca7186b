#include "starling/collective/executor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "starling/collective/abandon.hpp"
#include "starling/collective/combine.hpp"
#include "starling/collective/memory.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::collective {

namespace {

/// Sends of the last few rounds may be under way while the next one runs; older ones are waited
/// for, so that what the channel holds stays bounded. More slack than a round of a synchronous
/// execution, so whatever ends there ends here.
constexpr std::size_t kRoundsInFlight = 4;

/// Runs of this length that are lent next are read by another core: fetching them from this core's
/// cache costs it more than reading them from memory.
constexpr std::size_t kStreamedLoanMin = std::size_t{32} << 10U;

/// One more value in a digest: a step of FNV-1a on words, then the high bits folded down.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  hash = (hash ^ value) * kPrime;
  return hash ^ (hash >> 32U);
}

}  // namespace

/// One run of a plan.
class Executor::Call {
 public:
  Call(Executor& executor, const Plan& plan, const Operands& operands, const Terms& terms)
      : group_(*executor.group_),
        progress_(executor.progress_),
        plan_(plan),
        terms_(terms),
        elements_(operands.elements),
        scratch_(plan.uses_scratch ? operands.elements * sizeof(float) : 0),
        memory_(plan.schedule, operands, scratch_.mutable_values()),
        digest_(digest()),
        until_(working_deadline(group_, terms.deadline)) {
    progress_.resize(plan.lanes.size());
    for (Progress& lane : progress_) {
      lane.next = 0;
      lane.settled = 0;
      lane.posted.clear();
    }
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// What is still lent is taken back before the memory goes.
  ~Call() { take_back_sends(); }

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
  const Group& group_;
  std::vector<Progress>& progress_;
  const Plan& plan_;
  const Terms& terms_;
  std::size_t elements_;
  Buffer scratch_;
  Memory memory_;
  std::uint64_t digest_;
  Deadline until_;
  std::uint16_t failed_lane_ = 0;

  void take_back_sends() noexcept {
    for (Progress& lane : progress_) {
      lane.posted.clear();
    }
  }

  void exchange() {
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      post_sends(lane, 0);
    }
    copy_kept();
    for (std::size_t round = 0; round < rounds(); ++round) {
      for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
        if (round >= plan_.lanes[lane].rounds()) {
          continue;
        }
        receive_all(lane, round);
        post_sends(lane, round + 1);
      }
    }
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      settle(lane, progress_[lane].posted.size());
    }
  }

  [[nodiscard]] std::size_t rounds() const {
    std::size_t most = 0;
    for (const PlannedLane& lane : plan_.lanes) {
      most = std::max(most, lane.rounds());
    }
    return most;
  }

  void copy_kept() {
    for (const Range& run : plan_.kept) {
      const Range elements = memory_.elements_of(run);
      if (elements.empty()) {
        continue;
      }
      const auto from = memory_.read(Place::input, elements);
      const auto to = memory_.write(Place::output, elements);
      if (from.data() != to.data()) {
        copy(from, to);
      }
    }
  }

  void post_sends(std::size_t lane, std::size_t round) {
    const PlannedLane& planned = plan_.lanes[lane];
    if (round >= planned.rounds()) {
      return;
    }
    Progress& progress = progress_[lane];
    settle_old_rounds(lane, round);
    for (const PlannedTransfer& each : planned.round(round)) {
      if (each.action != Action::send) {
        return;
      }
      progress.posted.push_back(post(lane, round, planned, each));
      progress.next += 1;
    }
  }

  void settle_old_rounds(std::size_t lane, std::size_t round) {
    if (round < kRoundsInFlight) {
      return;
    }
    std::size_t recent = 0;
    for (std::size_t back = 1; back < kRoundsInFlight; ++back) {
      for (const PlannedTransfer& each : plan_.lanes[lane].round(round - back)) {
        recent += each.action == Action::send ? 1 : 0;
      }
    }
    settle(lane, progress_[lane].posted.size() - recent);
  }

  /// Waits for the sends of the lane up to number `count`.
  void settle(std::size_t lane, std::size_t count) {
    Progress& progress = progress_[lane];
    while (progress.settled < count) {
      Posted& oldest = progress.posted[progress.settled];
      const Result<void> done = oldest.pending.wait(until_);
      if (!done) {
        fail(lane, done.error());
      }
      oldest.packed = Buffer{};
      progress.settled += 1;
    }
  }

  Posted post(std::size_t lane,
              std::size_t round,
              const PlannedLane& planned,
              const PlannedTransfer& transfer) {
    Posted posted;
    const auto runs = planned.runs_of(transfer);
    std::span<const float> payload = memory_.in_one_piece(runs);
    if (payload.size() != memory_.size_of(runs)) {
      posted.packed = memory_.pack(runs);
      payload = posted.packed.values();
    }
    posted.pending =
        group_.post(transfer.peer, tag(lane), stamp(lane, round), std::as_bytes(payload));
    return posted;
  }

  void receive_all(std::size_t lane, std::size_t round) {
    const PlannedLane& planned = plan_.lanes[lane];
    for (const PlannedTransfer& each : planned.round(round)) {
      if (each.action == Action::send) {
        continue;
      }
      settle(lane, each.settled);
      receive(lane, round, planned, each);
      progress_[lane].next += 1;
    }
  }

  void receive(std::size_t lane,
               std::size_t round,
               const PlannedLane& planned,
               const PlannedTransfer& transfer) {
    const auto runs = planned.runs_of(transfer);
    std::size_t current = 0;  // run the next element belongs to
    std::size_t done = 0;     // elements of it that have arrived
    const auto sink = [&](std::size_t, std::span<const std::byte> bytes) {
      std::span<const float> piece{reinterpret_cast<const float*>(bytes.data()),
                                   bytes.size() / sizeof(float)};
      while (!piece.empty()) {
        const Range whole = memory_.elements_of(runs[current]);
        const std::size_t count = std::min(piece.size(), whole.size() - done);
        const Range elements{whole.begin + done, whole.begin + done + count};
        take(transfer.action, runs[current], elements, piece.first(count));
        piece = piece.subspan(count);
        done += count;
        if (done == whole.size()) {
          current += 1;
          done = 0;
        }
      }
    };
    const Expected expected{stamp(lane, round), memory_.size_of(runs) * sizeof(float)};
    const Result<Stamp> received =
        group_.receive_pieces(transfer.peer, tag(lane), expected, sink, until_);
    if (!received) {
      fail(lane, received.error());
    }
  }

  void take(Action action,
            const PlannedRun& run,
            Range elements,
            std::span<const float> piece) const {
    if (elements.empty()) {
      return;
    }
    const std::span<float> target = memory_.write(run.to, elements);
    const Store store = store_for(run);
    if (action == Action::copy) {
      move_into(piece, target, store);
      return;
    }
    const bool scales = run.finishes && terms_.reduction == Reduction::mean;
    const float factor = scales ? 1.0F / static_cast<float>(group_.size()) : 1.0F;
    combine({terms_.reduction, factor, store}, memory_.read(run.from, elements), piece, target);
  }

  [[nodiscard]] Store store_for(const PlannedRun& run) const {
    const bool streams =
        (run.next == NextUse::none && store_for_vector(elements_) == Store::streamed) ||
        (run.next == NextUse::lend &&
         memory_.elements_of(run).size() * sizeof(float) >= kStreamedLoanMin);
    return streams ? Store::streamed : Store::cached;
  }

  static Tag tag(std::size_t lane) {
    return {Purpose::collective, static_cast<std::uint16_t>(lane)};
  }

  /// Equal at both ends of a message only if both run the same operation and are in the same round
  /// of it.
  [[nodiscard]] Stamp stamp(std::size_t lane, std::size_t round) const {
    const std::uint64_t place = mixed(mixed(digest_, lane), round);
    return {0, static_cast<std::uint32_t>(place) & ~kAbandoned, terms_.round, 1.0};
  }

  [[nodiscard]] std::uint64_t digest() const {
    std::uint64_t hash = 14695981039346656037ULL;  // of FNV-1a
    for (const char letter : terms_.algorithm) {
      hash = mixed(hash, static_cast<unsigned char>(letter));
    }
    for (const std::size_t value : {static_cast<std::size_t>(plan_.request.operation),
                                    plan_.request.peers,
                                    plan_.request.root,
                                    elements_,
                                    static_cast<std::size_t>(terms_.reduction)}) {
      hash = mixed(hash, value);
    }
    return hash;
  }

  [[noreturn]] void fail(std::size_t lane, const Failure& failure) {
    failed_lane_ = static_cast<std::uint16_t>(lane);
    throw PeerLost(failure);
  }

  /// What is lent and may not have been read counts as left: it is about to be taken back.
  [[nodiscard]] Remaining remaining() const {
    Remaining left{.failed_lane = failed_lane_,
                   .round = terms_.round,
                   .deadline = terms_.deadline,
                   .operation = description(),
                   .transfers = {}};
    for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      const auto& transfers = plan_.lanes[lane].transfers;
      std::size_t sends = 0;
      for (std::size_t k = 0; k < transfers.size(); ++k) {
        const bool is_send = transfers[k].action == Action::send;
        const bool done = is_send ? sends++ < progress_[lane].settled : k < progress_[lane].next;
        if (!done) {
          left.transfers.push_back(
              {static_cast<std::uint16_t>(lane), transfers[k].peer, transfers[k].action});
        }
      }
    }
    return left;
  }

  [[nodiscard]] std::string description() const {
    std::string text = std::string(to_string(plan_.request.operation)) + " by " +
                       std::string(terms_.algorithm) + " of " + std::to_string(elements_) +
                       " elements";
    if (reduces(plan_.request.operation)) {
      text += std::string(" (") + to_string(terms_.reduction) + ")";
    }
    if (plan_.request.root != 0) {
      text += " with root " + std::to_string(plan_.request.root);
    }
    return text + " in round " + std::to_string(terms_.round);
  }
};

void Executor::run(const Plan& plan, const Operands& operands, const Terms& terms) {
  ensure(plan.request.peers == group_->size() && plan.request.rank == group_->rank(),
         "a plan runs on the group it was made for",
         plan.request.peers,
         group_->size());
  ensure(
      plan.lanes.size() < kLanesMax, "a plan has fewer lanes than the channel", plan.lanes.size());
  Call(*this, plan, operands, terms).run();
}

}  // namespace starling::collective
