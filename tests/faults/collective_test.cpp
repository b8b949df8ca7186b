// Group operations in which one member dies in some round: all others hear of it and name it, their
// inputs are as they were, and the survivors can form a group and repeat the operation.
#include "starling/collective/collective.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/executor.hpp"
#include "starling/collective/plan.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/simulation/sim_world.hpp"

#include "tests/faults/schedules.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;
using namespace collective;
using Vector = std::vector<float>;

constexpr Duration kPatience = 60s;

/// How the victim goes.
enum class End : std::uint8_t {
  throws,    ///< and says goodbye
  goes_off,  ///< its host does, and nobody is told
};

/// One death, drawn from a seed.
struct Death {
  std::size_t peers = 2;
  std::size_t victim = 0;
  std::string algorithm;
  std::size_t elements = 0;
  std::size_t round = 0;  ///< the victim sends and takes what belongs to the rounds before it
  End end = End::throws;
};

std::vector<std::string> algorithms_for(std::size_t peers) {
  std::vector<std::string> names;
  for (const std::string& name : names_for(Operation::all_reduce)) {
    const Choice choice = find_algorithm(name, Operation::all_reduce);
    Request request{.peers = peers, .elements = 100};
    choice.fill_in(request, sizeof(float));
    if (!choice.entry->why_not(request)) {
      names.push_back(name);
    }
  }
  return names;
}

Request request_of(const Death& death, std::size_t rank) {
  Request request{.peers = death.peers, .rank = rank, .elements = death.elements};
  find_algorithm(death.algorithm, Operation::all_reduce).fill_in(request, sizeof(float));
  return request;
}

Schedule schedule_of(const Death& death, const Request& request) {
  return make_schedule(*find_algorithm(death.algorithm, Operation::all_reduce).entry, request);
}

std::size_t rounds_of(const Schedule& schedule) {
  std::size_t most = 0;
  for (const Lane& lane : schedule.lanes) {
    most = std::max(most, lane.rounds());
  }
  return most;
}

Death death_from(std::uint64_t seed) {
  Random random(seed, stream_key("tests.collective_deaths"));
  Death death;
  death.peers = 2 + random.below(8);
  death.victim = random.below(death.peers);
  const std::vector<std::string> names = algorithms_for(death.peers);
  death.algorithm = names[random.below(names.size())];
  death.elements = random.below(500);
  const Schedule schedule = schedule_of(death, request_of(death, death.victim));
  death.round = random.below(std::max<std::size_t>(1, rounds_of(schedule)));
  death.end = random.below(2) == 0 ? End::throws : End::goes_off;
  return death;
}

std::string words_of(const Death& death) {
  return death.algorithm + " of " + std::to_string(death.elements) + " with " +
         std::to_string(death.peers) + " peers, of which " + std::to_string(death.victim) +
         (death.end == End::throws ? " throws" : " goes off") + " in round " +
         std::to_string(death.round);
}

Vector input_of(PeerId peer, std::size_t elements) {
  Vector values(elements);
  for (std::size_t k = 0; k < elements; ++k) {
    values[k] = static_cast<float>((peer.value * 31 + k * 17) % 101);
  }
  return values;
}

Vector sum_of(const Group& group, std::size_t elements) {
  Vector total(elements, 0.0F);
  for (std::size_t rank = 0; rank < group.size(); ++rank) {
    const Vector next = input_of(group.member(rank), elements);
    for (std::size_t k = 0; k < elements; ++k) {
      total[k] += next[k];
    }
  }
  return total;
}

/// Plays the member up to the round of its death.
void die(const Group& group, const Death& death) {
  const Request request = request_of(death, group.rank());
  Schedule schedule = schedule_of(death, request);
  for (Lane& lane : schedule.lanes) {
    Lane shortened;
    for (std::size_t round = 0; round < std::min(death.round, lane.rounds()); ++round) {
      shortened.open_round();
      for (const Transfer& each : lane.round(round)) {
        shortened.transfer(each.action, each.peer, lane.blocks(each));
      }
    }
    lane = shortened;
  }
  const Vector input = input_of(group.peer().id(), death.elements);
  Vector output(death.elements);
  Executor(group).run(
      make_plan(request, std::move(schedule)),
      {input, output, death.elements},
      {.algorithm = death.algorithm, .deadline = group.peer().clock().in(kPatience)});
  if (death.end == End::throws) {
    throw DataError("the disk is full");
  }
  group.peer().clock().sleep_for(kPatience);
}

/// A survivor: repeats the operation with those who are left until all of them have the result.
void survive(Group group, const Death& death) {
  const Vector input = input_of(group.peer().id(), death.elements);
  for (std::uint64_t attempt = 0; attempt < 2; ++attempt) {
    const Vector before = input;
    Vector output(death.elements);
    try {
      Collective all(group);
      all.all_reduce(input,
                     output,
                     Reduction::sum,
                     {.algorithm = attempt == 0 ? death.algorithm : "auto",
                      .deadline = group.peer().clock().in(kPatience),
                      .round = 0});
      // Who had all it needed hears of the death here.
      all.barrier({.deadline = group.peer().clock().in(kPatience), .round = 1});
      EXPECT_EQ(output, sum_of(group, death.elements));
      EXPECT_EQ(attempt, 1U) << "nobody missed the dead";
      return;
    } catch (const PeerLost& lost) {
      EXPECT_EQ(input, before);
      ASSERT_EQ(lost.failure().culprit, PeerId{death.victim}) << lost.what();
      group = group.without({death.victim});
    }
  }
  ADD_FAILURE() << "the survivors did not agree either";
}

void play(std::uint64_t seed) {
  const Death death = death_from(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + words_of(death));
  const TempDirectory folder;
  const std::filesystem::path faults = folder.path() / "faults.toml";
  if (death.end == End::goes_off) {
    std::ofstream(faults) << "[[fault]]\nkind = 'kill'\npeer = " << death.victim << "\nfrom = 2\n";
  }
  SimWorld world({.peers = death.peers,
                  .seed = seed,
                  .platform = "lan",
                  .faults = death.end == End::goes_off ? faults.string() : ""});
  const RunReport report = world.run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    if (group.rank() == death.victim) {
      die(group, death);
    } else {
      survive(group, death);
    }
  });
  EXPECT_LT(report.elapsed, 30s) << "somebody waited for its deadline";
  EXPECT_EQ(report.culprit, death.victim);
}

/// kSeedsOfTest seeds a test; the parameter is the first.
class CollectiveDeaths : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CollectiveDeaths, AreNamedByAllAndTheSurvivorsGoOn) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeedsOfTest; ++seed) {
    play(seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CollectiveDeaths, ::testing::Range<std::uint64_t>(0, 500, 25));

}  // namespace

}  // namespace starling::testing
