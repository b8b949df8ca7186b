#include "starling/collective/abandon.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "starling/core/buffer.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/peer/goodbye.hpp"

namespace starling::collective {

namespace {

using namespace std::chrono_literals;

/// The longest wait for the others to say what they were called with.
constexpr Duration kGrace = 1s;

/// The longest wait for the words of a note, which follow its first message at once.
constexpr Duration kNoteGrace = 100ms;

/// What is granted when the deadline has passed: messages that are here already can be taken.
constexpr Duration kLastLook = 1ms;

/// Share of an operation's time that is kept for its end.
constexpr int kShareOfEnd = 8;

/// The note of one who asks what the others were called with.
constexpr std::string_view kInquiry = "inquiry";

Buffer text_buffer(std::string_view text) {
  return Buffer::copy_of(std::as_bytes(std::span(text.data(), text.size())));
}

std::string text_of(const Buffer& payload) {
  return {reinterpret_cast<const char*>(payload.bytes().data()), payload.size()};
}

/// "3 5 peer 3: disk full": culprit, exit code, words.
std::string encoded(const Goodbye& goodbye) {
  return std::to_string(goodbye.culprit.value) + " " +
         std::to_string(static_cast<int>(goodbye.code)) + " " + goodbye.words;
}

std::optional<Goodbye> decoded(std::string_view text) {
  const std::size_t first = text.find(' ');
  if (first == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t second = text.find(' ', first + 1);
  if (second == std::string_view::npos) {
    return std::nullopt;
  }
  const auto culprit = parse_size(text.substr(0, first));
  const auto number = parse_size(text.substr(first + 1, second - first - 1));
  const auto code = number ? exit_code_from(*number) : std::nullopt;
  // A note tells of a failure: words that end well are as unreadable as a code that nobody has.
  if (!culprit || !code || *code == ExitCode::ok) {
    return std::nullopt;
  }
  return Goodbye{.finished = false,
                 .culprit = {*culprit},
                 .words = std::string(text.substr(second + 1)),
                 .code = *code};
}

class Abandoning {
 public:
  Abandoning(const Group& group, const Remaining& remaining)
      : group_(group), remaining_(remaining) {}

  Failure run(Failure failure) {
    if (failure.outdated) {
      failure = whoever_is_gone(failure);
      failure.what = remaining_.operation + ": " + failure.what;
      tell(everybody(), encoded(words_for(failure)));
      take_what_is_sent(failure.culprit);
      return failure;
    }
    std::string note;
    if (failure.kind == FailureKind::refused) {
      note = note_behind(failure);
    }
    const auto cause = decoded(note);
    const bool unclear =
        !cause && (failure.kind == FailureKind::refused || failure.kind == FailureKind::deadline);
    if (note == kInquiry) {
      failure.kind = FailureKind::deadline;
      failure.what = "it had given up waiting for one of us";
    }
    if (cause) {
      failure = failure_from(failure.peer, *cause, failure.waited);
      failure.what = "it gave up";
    }
    failure.what = remaining_.operation + ": " + failure.what;
    if (unclear) {
      tell(everybody(), kInquiry);
      return inquire(failure);
    }
    tell(everybody(), encoded(words_for(failure)));
    if (failure.kind == FailureKind::lost) {
      take_what_is_sent(failure.peer);
    }
    return failure;
  }

 private:
  using Route = std::pair<std::uint32_t, std::uint16_t>;  // peer, lane

  const Group& group_;
  const Remaining& remaining_;
  std::set<Route> silent_;  // nothing comes from there any more

  [[nodiscard]] Deadline at_most(Duration wait) const {
    const Clock& clock = group_.peer().clock();
    return std::max(clock.in(kLastLook), std::min(clock.in(wait), remaining_.deadline));
  }

  [[nodiscard]] std::size_t rank_of(PeerId peer) const {
    std::size_t rank = 0;
    while (rank < group_.size() && group_.member(rank) != peer) {
      ++rank;
    }
    return rank;
  }

  [[nodiscard]] Stamp note_stamp() const { return {0, kAbandoned, remaining_.round, 1.0}; }

  /// The note of the peer whose message was refused; empty if that was a message of another
  /// operation.
  std::string note_behind(const Failure& failure) {
    const std::size_t from = rank_of(failure.peer);
    if (from == group_.size()) {
      return {};
    }
    silent_.insert({static_cast<std::uint32_t>(from), remaining_.failed_lane});
    return read_note(from, {Purpose::collective, remaining_.failed_lane});
  }

  /// Others go on without a member already: the one that this peer has not missed yet.
  [[nodiscard]] Failure whoever_is_gone(Failure failure) const {
    const Tag tag{Purpose::collective, remaining_.inquiries};
    Clock& clock = group_.peer().clock();
    for (const Deadline until = at_most(kGrace); clock.now() < until.at;) {
      Duration patience = kLastLook;  // once a look around, so that time passes
      for (std::size_t rank = 0; rank < group_.size(); ++rank) {
        if (rank == group_.rank()) {
          continue;
        }
        const Result<Message> heard = group_.receive(rank, tag, clock.in(patience));
        if (!heard && heard.error().kind == FailureKind::lost) {
          Failure found = heard.error();
          found.waited = failure.waited;
          return found;
        }
        patience = Duration{};
      }
    }
    failure.kind = FailureKind::lost;
    return failure;
  }

  /// A note is an empty message, which whoever expects data refuses, and the words behind it.
  [[nodiscard]] std::string read_note(std::size_t from, Tag tag) const {
    for (int message = 0; message < 2; ++message) {
      const Result<Message> next = group_.receive(from, tag, at_most(kNoteGrace));
      if (!next || next->stamp.operation != kAbandoned) {
        return {};
      }
      if (!next->payload.empty()) {
        return text_of(next->payload);
      }
    }
    return {};
  }

  [[nodiscard]] Goodbye words_for(const Failure& failure) const {
    return goodbye_of(group_.peer().id(), std::make_exception_ptr(PeerLost(failure)));
  }

  /// Those who wait for something this member owes.
  [[nodiscard]] std::set<Route> partners() const {
    std::set<Route> routes;
    for (const Remaining::Message& each : remaining_.transfers) {
      if (each.action == Action::send) {
        routes.insert({each.peer, each.lane});
      }
    }
    return routes;
  }

  /// Who runs another schedule, or has all it needed and is at the next operation already, may wait
  /// for anybody.
  [[nodiscard]] std::set<Route> everybody() const {
    std::set<Route> routes = partners();
    for (std::size_t rank = 0; rank < group_.size(); ++rank) {
      if (rank != group_.rank()) {
        routes.insert({static_cast<std::uint32_t>(rank), remaining_.first_lane});
      }
    }
    return routes;
  }

  void tell(const std::set<Route>& routes, std::string_view note) const {
    for (const auto& [peer, lane] : routes) {
      const Tag tag{Purpose::collective, lane};
      // Whether they get it is their matter: who is gone needs no note.
      (void)group_.send(peer, tag, note_stamp(), Buffer{}, at_most(kGrace)).has_value();
      (void)group_.send(peer, tag, note_stamp(), text_buffer(note), at_most(kGrace)).has_value();
    }
  }

  void take_what_is_sent(PeerId lost) {
    for (const Remaining::Message& each : remaining_.transfers) {
      if (each.action == Action::send || group_.member(each.peer) == lost) {
        continue;
      }
      const Route route{each.peer, each.lane};
      if (silent_.count(route) != 0) {
        continue;
      }
      const Tag tag{Purpose::collective, each.lane};
      const Result<Message> taken = group_.receive(each.peer, tag, remaining_.deadline);
      if (taken && taken->stamp.operation != kAbandoned) {
        continue;
      }
      silent_.insert(route);
      if (taken && taken->payload.empty()) {
        (void)read_note(each.peer, tag);
      }
    }
  }

  /// What the others answer to an inquiry.
  struct Answers {
    std::map<std::size_t, std::string> calls;  // by rank, one's own included
    std::optional<Failure> ended;  // of the first that had ended already and said because of what
  };

  /// Everybody says what it was called with. Most of those heard are right (of equally many, those
  /// with the lowest rank); the first of the others is the culprit, or else whom those name who
  /// have ended (they may have waited for this very peer), or else whom those who keep silent wait
  /// for.
  [[nodiscard]] Failure inquire(Failure failure) const {
    const Answers answers = exchange_calls();
    const auto& calls = answers.calls;
    std::map<std::string, std::size_t> count;
    for (const auto& [rank, call] : calls) {
      count[call] += 1;
    }
    const auto usual =
        std::max_element(calls.begin(), calls.end(), [&](const auto& a, const auto& b) {
          return count[a.second] < count[b.second];
        });
    const auto odd = std::find_if(
        calls.begin(), calls.end(), [&](const auto& call) { return call.second != usual->second; });
    if (odd != calls.end()) {
      failure.kind = FailureKind::refused;
      failure.culprit = group_.member(odd->first);
      failure.root_cause = to_string(failure.culprit) + " was called for " + odd->second + ", " +
                           to_string(group_.member(usual->first)) + " for " + usual->second;
      return failure;
    }
    if (answers.ended) {
      failure.kind = FailureKind::lost;
      failure.culprit = answers.ended->culprit;
      failure.root_cause = answers.ended->root_cause;
      failure.code = answers.ended->code;
      return failure;
    }
    if (const auto late = latest(calls)) {
      failure.kind = FailureKind::deadline;
      failure.culprit = group_.member(*late);
      failure.root_cause = to_string(failure.culprit) + " took no part in " + remaining_.operation;
    }
    return failure;
  }

  /// Of those who keep silent the one for whom most of them wait, directly or through others; of
  /// equals the lowest rank. They may be held up before this operation by one who is late.
  [[nodiscard]] std::optional<std::size_t> latest(
      const std::map<std::size_t, std::string>& calls) const {
    std::map<std::size_t, std::size_t> waiting;  // by rank of the one they wait for
    for (std::size_t rank = 0; rank < group_.size(); ++rank) {
      if (calls.count(rank) != 0) {
        continue;
      }
      const std::size_t end = rank_of(group_.peer().end_of_waits(group_.member(rank)));
      const bool is_silent = end < group_.size() && calls.count(end) == 0;
      waiting[is_silent ? end : rank] += 1;
    }
    const auto most =
        std::max_element(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        });
    return most == waiting.end() ? std::nullopt : std::optional(most->first);
  }

  [[nodiscard]] Answers exchange_calls() const {
    const Tag tag{Purpose::collective, remaining_.inquiries};
    const Deadline until = at_most(kGrace);
    const Buffer call = text_buffer(remaining_.operation);
    Answers answers{.calls = {{group_.rank(), remaining_.operation}}, .ended = std::nullopt};
    for (std::size_t rank = 0; rank < group_.size(); ++rank) {
      if (rank == group_.rank()) {
        continue;
      }
      const Result<void> sent = group_.send(rank, tag, note_stamp(), call.share(), until);
      if (!sent) {
        note_end(answers, sent.error());
      }
    }
    for (std::size_t rank = 0; rank < group_.size(); ++rank) {
      if (rank == group_.rank()) {
        continue;
      }
      const Result<Message> heard = group_.receive(rank, tag, until);
      if (heard) {
        answers.calls.emplace(rank, text_of(heard->payload));
      } else {
        note_end(answers, heard.error());
      }
    }
    return answers;
  }

  static void note_end(Answers& answers, const Failure& failure) {
    if (!answers.ended && !failure.root_cause.empty()) {
      answers.ended = failure;
    }
  }
};

}  // namespace

Deadline working_deadline(const Group& group, Deadline deadline) {
  const Duration left = deadline.at - group.peer().clock().now();
  return {deadline.at - std::clamp(left / kShareOfEnd, Duration{}, kGrace)};
}

Failure abandon(const Group& group, const Remaining& remaining, const Failure& failure) {
  return Abandoning(group, remaining).run(failure);
}

}  // namespace starling::collective
