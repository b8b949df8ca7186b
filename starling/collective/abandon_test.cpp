// What the members of a group see when an operation cannot be finished.
#include "starling/collective/abandon.hpp"

#include <mutex>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/collective.hpp"
#include "starling/collective/executor.hpp"
#include "starling/core/error.hpp"

#include "tests/support/worlds.hpp"

namespace starling::collective {
namespace {

using namespace std::chrono_literals;
using testing::Kind;
using testing::make_world;
using Vector = std::vector<float>;

constexpr Duration kPatience = 20s;

/// Members with other schedules may wait for each other in a circle, until the time is up.
constexpr Duration kShortPatience = 800ms;
constexpr std::size_t kElements = 40;

class Failing : public ::testing::TestWithParam<Kind> {
 protected:
  /// Runs body on `peers` peers; the failure each of them met, by rank.
  std::vector<std::optional<Failure>> failures_of(std::size_t peers,
                                                  const std::function<void(Peer&)>& body) {
    std::vector<std::optional<Failure>> failures(peers);
    std::mutex mutex;
    make_world(GetParam(), {.peers = peers})->run([&](Peer& peer) {
      try {
        body(peer);
      } catch (const PeerLost& lost) {
        {
          const std::lock_guard lock(mutex);
          failures[peer.id().value] = lost.failure();
        }
        throw;
      }
    });
    return failures;
  }
};

INSTANTIATE_TEST_SUITE_P(Worlds,
                         Failing,
                         ::testing::ValuesIn(testing::all_kinds()),
                         [](const auto& each) { return testing::to_string(each.param); });

enum class OneMayGo : std::uint8_t { no, yes };

/// The all-reduces that exist for so many peers, and for one less if `one_may_go`.
std::vector<std::string> names_of_all_reduces(std::size_t peers, OneMayGo one_may_go) {
  std::vector<std::string> names;
  for (const std::string& name : names_for(Operation::all_reduce)) {
    const Choice choice = find_algorithm(name, Operation::all_reduce);
    const auto exists_for = [&](std::size_t n) {
      Request request{.peers = n, .elements = kElements};
      choice.fill_in(request, sizeof(float));
      return !choice.entry->why_not(request);
    };
    if (exists_for(peers) && (one_may_go == OneMayGo::no || exists_for(peers - 1))) {
      names.push_back(name);
    }
  }
  return names;
}

Vector ones(std::size_t elements) {
  return Vector(elements, 1.0F);
}

TEST_P(Failing, OtherSizesLeaveTheInputAlone) {
  for (const std::string& algorithm : names_of_all_reduces(4, OneMayGo::no)) {
    make_world(GetParam(), {.peers = 4})->run([&](Peer& peer) {
      const std::size_t elements = peer.id().value == 2 ? kElements / 2 : kElements;
      Vector values = ones(elements);
      const CollectiveOptions options{algorithm, peer.clock().in(kPatience), 3};
      EXPECT_THROW(Collective(Group::everyone(peer)).all_reduce(values, Reduction::sum, options),
                   PeerLost);
      EXPECT_EQ(values, ones(elements));
    });
  }
}

TEST_P(Failing, DisagreementHasOneCulpritAndBothSidesWords) {
  struct Odd {
    std::string algorithm;
    std::size_t elements;
    std::uint64_t round;
    Reduction reduction;
  };

  const Odd usual{"ring", kElements, 3, Reduction::sum};
  const std::vector<Odd> odds{{"ring", kElements / 2, 3, Reduction::sum},
                              {"ring", kElements, 4, Reduction::sum},
                              {"ring", kElements, 3, Reduction::max},
                              {"circulant", kElements, 3, Reduction::sum},
                              {"recursive-doubling", kElements, 3, Reduction::sum}};
  for (const Odd& odd : odds) {
    const auto failures = failures_of(4, [&](Peer& peer) {
      const Odd& mine = peer.id().value == 2 ? odd : usual;
      Vector values = ones(mine.elements);
      const CollectiveOptions options{mine.algorithm, peer.clock().in(kShortPatience), mine.round};
      Collective(Group::everyone(peer)).all_reduce(values, mine.reduction, options);
    });
    for (std::size_t rank = 0; rank < 4; ++rank) {
      ASSERT_TRUE(failures[rank]) << rank << " of " << odd.algorithm;
      EXPECT_EQ(failures[rank]->culprit, PeerId{2}) << failures[rank]->message();
      EXPECT_NE(
          failures[rank]->root_cause.find("peer 2 was called for all-reduce by " + odd.algorithm),
          std::string::npos)
          << failures[rank]->message();
      EXPECT_NE(
          failures[rank]->root_cause.find("peer 0 for all-reduce by ring of 40 elements (sum)"),
          std::string::npos)
          << failures[rank]->message();
    }
  }
}

/// Peer `gone` throws before the operation; the others must see its words, keep their input and
/// agree anew without it.
void lose_one(Kind kind, const std::string& algorithm, std::size_t peers, std::size_t gone) {
  const auto report = make_world(kind, {.peers = peers})->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    if (group.rank() == gone) {
      throw DataError("the disk is full");
    }
    Vector values = ones(kElements);
    try {
      Collective(group).all_reduce(
          values, Reduction::sum, {algorithm, peer.clock().in(kPatience), 0});
      ADD_FAILURE() << "nobody can finish without peer " << gone;
    } catch (const PeerLost& lost) {
      EXPECT_EQ(lost.failure().culprit, PeerId{gone}) << lost.what();
      EXPECT_NE(lost.failure().root_cause.find("the disk is full"), std::string::npos)
          << lost.what();
      EXPECT_EQ(lost.code(), ExitCode::data);
    }
    EXPECT_EQ(values, ones(kElements));
    const Group rest = group.without({gone});
    Collective(rest).all_reduce(values, Reduction::sum, {algorithm, peer.clock().in(kPatience), 0});
    EXPECT_EQ(values, Vector(kElements, static_cast<float>(peers - 1)));
  });
  EXPECT_EQ(report.culprit, gone) << algorithm;
  for (std::size_t rank = 0; rank < peers; ++rank) {
    EXPECT_EQ(report.peers[rank].error != nullptr, rank == gone) << algorithm << " " << rank;
  }
}

TEST_P(Failing, SurvivorsHearTheCauseAndGoOnWithoutTheLost) {
  for (const std::size_t peers : {2U, 3U, 5U, 8U}) {
    for (const std::string& algorithm : names_of_all_reduces(peers, OneMayGo::yes)) {
      for (const std::size_t gone : {std::size_t{0}, peers - 1}) {
        lose_one(GetParam(), algorithm, peers, gone);
      }
    }
  }
}

TEST_P(Failing, ANoteWithACodeThatNoFailureHasIsNotBelieved) {
  for (const std::string note : {"1 99 a code that nobody has", "1 0 all is well"}) {
    const auto failures = failures_of(2, [&note](Peer& peer) {
      const Group group = Group::everyone(peer);
      if (group.rank() == 1) {
        const Tag tag{Purpose::collective, 0};
        const Stamp stamp{0, kAbandoned, 3, 1.0};
        const Deadline deadline = peer.clock().in(kPatience);
        group.send(0, tag, stamp, Buffer{}, deadline).or_throw();
        const auto words = std::as_bytes(std::span(note));
        group.send(0, tag, stamp, Buffer::copy_of(words), deadline).or_throw();
        return;
      }
      Vector values = ones(kElements);
      Collective(group).all_reduce(
          values, Reduction::sum, {"ring", peer.clock().in(kShortPatience), 3});
    });
    ASSERT_TRUE(failures[0].has_value()) << note;
    EXPECT_EQ(failures[0]->code, ExitCode::peers_lost) << note;
  }
}

/// As a member that runs its schedule up to `round` and then dies: it sends and takes what belongs
/// there.
void die_in(const Group& group,
            const std::string& algorithm,
            std::size_t round,
            Deadline deadline) {
  const Choice choice = find_algorithm(algorithm, Operation::all_reduce);
  Request request{.peers = group.size(), .rank = group.rank(), .elements = kElements};
  choice.fill_in(request, sizeof(float));
  Schedule schedule = make_schedule(*choice.entry, request);
  for (Lane& lane : schedule.lanes) {
    Lane shortened;
    for (std::size_t r = 0; r < std::min(round, lane.rounds()); ++r) {
      shortened.open_round();
      for (const Transfer& each : lane.round(r)) {
        shortened.transfer(each.action, each.peer, lane.blocks(each));
      }
    }
    lane = shortened;
  }
  const Vector input = ones(kElements);
  Vector output(kElements);
  Executor(group).run(make_plan(request, std::move(schedule)),
                      {input, output, kElements},
                      {algorithm, Reduction::sum, 0, deadline});
  throw DataError("the disk is full");
}

TEST_P(Failing, DeathInAnyRoundLeavesNobodyWaiting) {
  constexpr std::size_t kPeers = 5;
  constexpr std::size_t kGone = 2;
  for (const std::string& algorithm : names_of_all_reduces(kPeers, OneMayGo::no)) {
    for (std::size_t round = 0; round < 2 * (kPeers - 1); ++round) {
      const auto report = make_world(GetParam(), {.peers = kPeers})->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        const Deadline deadline = peer.clock().in(kPatience);
        if (group.rank() == kGone) {
          die_in(group, algorithm, round, deadline);
        }
        Vector values = ones(kElements);
        try {
          Collective(group).all_reduce(values, Reduction::sum, {algorithm, deadline, 0});
          EXPECT_EQ(values, Vector(kElements, 5.0F));  // it had all it needed
        } catch (const PeerLost& lost) {
          EXPECT_EQ(lost.failure().culprit, PeerId{kGone}) << lost.what();
          EXPECT_NE(lost.failure().root_cause.find("the disk is full"), std::string::npos);
          EXPECT_EQ(values, ones(kElements));
        }
      });
      EXPECT_EQ(report.culprit, kGone);
      EXPECT_LT(report.elapsed, 5s) << algorithm << " waited for its deadline in round " << round;
    }
  }
}

TEST_P(Failing, ASilentPeerIsNamedByAllBeforeTheDeadline) {
  const auto failures = failures_of(3, [&](Peer& peer) {
    if (peer.id().value == 1) {
      peer.clock().sleep_for(500ms);
      return;
    }
    Vector values = ones(kElements);
    const Deadline deadline = peer.clock().in(400ms);
    try {
      Collective(Group::everyone(peer)).all_reduce(values, Reduction::sum, {"ring", deadline, 0});
    } catch (const PeerLost&) {
      EXPECT_LT(peer.clock().now(), deadline.at + 50ms);
      throw;
    }
  });
  EXPECT_FALSE(failures[1]);
  for (const std::size_t rank : {0U, 2U}) {
    ASSERT_TRUE(failures[rank]);
    EXPECT_EQ(failures[rank]->kind, FailureKind::deadline);
    EXPECT_EQ(failures[rank]->culprit, PeerId{1}) << failures[rank]->message();
  }
}

TEST_P(Failing, ALatePeerHearsThatItWasLateAndBlamesNobodyElse) {
  for (const std::string algorithm : {"ring", "circulant", "recursive-doubling"}) {
    const auto failures = failures_of(5, [&](Peer& peer) {
      if (peer.id().value == 3) {
        peer.clock().sleep_for(1200ms);  // the others have given up and left by then
      }
      Vector values = ones(kElements);
      const Deadline deadline = peer.clock().in(400ms);
      Collective(Group::everyone(peer))
          .all_reduce(values, Reduction::sum, {algorithm, deadline, 0});
    });
    for (std::size_t rank = 0; rank < failures.size(); ++rank) {
      ASSERT_TRUE(failures[rank]);
      EXPECT_EQ(failures[rank]->culprit, PeerId{3}) << algorithm << ": " << rank;
      EXPECT_NE(failures[rank]->root_cause.find("took no part"), std::string::npos)
          << failures[rank]->message();
    }
  }
}

}  // namespace
}  // namespace starling::collective
