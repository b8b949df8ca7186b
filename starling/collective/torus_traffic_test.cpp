// What ranks send and links carry in torus algorithms, exactly as their formulas say.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"
#include "starling/collective/torus_color.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using Dims = std::vector<std::size_t>;

std::size_t elements_of(const Schedule& schedule,
                        const Lane& lane,
                        const Transfer& transfer,
                        std::size_t elements) {
  std::size_t total = 0;
  for (const Range& run : lane.blocks(transfer)) {
    total += schedule.cut.elements(run, elements).size();
  }
  return total;
}

std::size_t steps(const Dims& dims) {
  std::size_t total = 0;
  for (const std::size_t extent : dims) {
    total += extent - 1;
  }
  return total;
}

/// Elements that a rank sends in all.
std::size_t sent_by(const Schedule& schedule, std::size_t elements) {
  std::size_t total = 0;
  for (const Lane& lane : schedule.lanes) {
    for (const Transfer& each : lane.transfers()) {
      total += each.action == Action::send ? elements_of(schedule, lane, each, elements) : 0;
    }
  }
  return total;
}

std::size_t owned_by(const Schedule& schedule, std::size_t elements) {
  std::size_t total = 0;
  for (const Range& run : schedule.owned) {
    total += schedule.cut.elements(run, elements).size();
  }
  return total;
}

struct Shape {
  std::string name;
  Dims dims;
};

TEST(TorusSteps, AsManyAsTheExtentsSay) {
  const Dims dims{4, 1, 3, 2};
  const std::size_t peers = product(dims);
  for (const char* name : {"bucket-torus:4x1x3x2", "multiported-torus:4x1x3x2"}) {
    const bool reorders = std::string(name).starts_with("multi");
    for (const auto& [operation, halves] : {std::pair(Operation::all_reduce, 2U),
                                            std::pair(Operation::reduce, 2U),
                                            std::pair(Operation::broadcast, 2U),
                                            std::pair(Operation::reduce_scatter, 1U),
                                            std::pair(Operation::all_gather, 1U),
                                            std::pair(Operation::scatter, 1U),
                                            std::pair(Operation::gather, 1U)}) {
      const auto asked = ask(name, {.operation = operation, .peers = peers, .elements = 999});
      for (std::size_t rank = 0; rank < peers; ++rank) {
        for (const Lane& lane : asked.schedule(rank).lanes) {
          EXPECT_EQ(lane.rounds(), halves * steps(dims) + (reorders && halves == 1 ? 1 : 0))
              << name << to_string(operation);
        }
      }
    }
  }
}

TEST(TorusBytes, AnAllReduceSendsTwiceAllButAPthOfTheVector) {
  for (const Dims& dims : {Dims{4, 4}, Dims{3, 3, 3}, Dims{8, 4}, Dims{2, 3, 4}, Dims{5}}) {
    const std::size_t peers = product(dims);
    const std::size_t elements = 12 * peers;  // p divides every region of equal weights
    for (const char* name : {"bucket-torus:", "multiported-torus:", "half-way-torus:"}) {
      const std::string weights = std::string(name).starts_with("bucket") ? "" : ":weights=equal";
      const auto verdict =
          ask(name + dims_text(dims) + weights, {.peers = peers, .elements = elements}).verdict();
      for (const Traffic& sent : verdict.sent) {
        EXPECT_EQ(sent.elements, 2 * (peers - 1) * elements / peers) << name << dims_text(dims);
      }
    }
  }
}

TEST(TorusBytes, WithSolvedWeightsToo) {
  // (4,2): W = (1/6, 5/6), so regions of 1/12 and 5/12; 8 divides each.
  const std::size_t elements = 8 * 12 * 3;
  const auto verdict =
      ask("multiported-torus:4x2:weights=solved", {.peers = 8, .elements = elements}).verdict();
  for (const Traffic& sent : verdict.sent) {
    EXPECT_EQ(sent.elements, 2 * 7 * elements / 8);
  }
}

TEST(TorusBytes, AReduceScatterSendsWhatTheNodeDoesNotOwnAfterwards) {
  for (const char* torus : {"3x4", "2x3x2", "4x4", "5"}) {
    const std::size_t peers = product(parse_dims(torus));
    for (const std::size_t elements :
         {std::size_t{0}, std::size_t{1}, peers - 1, peers + 1, std::size_t{1009}}) {
      const Request request{
          .operation = Operation::reduce_scatter, .peers = peers, .elements = elements};
      for (const std::string name : {"bucket-torus:", "multiported-torus:", "half-way-torus:"}) {
        const std::string split = name.starts_with("bucket") ? "" : ":layout=split";
        const auto asked = ask(name + torus + split, request);
        for (std::size_t rank = 0; rank < peers; ++rank) {
          const Schedule schedule = asked.schedule(rank);
          EXPECT_EQ(owned_by(schedule, elements), chunk(elements, peers, rank).size());
          EXPECT_EQ(sent_by(schedule, elements), elements - owned_by(schedule, elements));
        }
      }
    }
  }
}

/// Elements of a rank's sub-blocks that lie in its own part: the self-copies of the reordering.
std::size_t at_home(const Schedule& schedule, const Range& part, std::size_t elements) {
  std::size_t total = 0;
  for (const Range& run : schedule.owned) {
    const Range range = schedule.cut.elements(run, elements);
    const std::size_t begin = std::max(range.begin, part.begin);
    const std::size_t end = std::min(range.end, part.end);
    total += end > begin ? end - begin : 0;
  }
  return total;
}

TEST(TorusBytes, TheReorderingSendsWhatIsOwnedAndLiesInOtherParts) {
  for (const char* torus : {"3x4", "2x3x2", "4x4", "5"}) {
    const std::size_t peers = product(parse_dims(torus));
    for (const std::size_t elements : {1U, 11U, 1009U}) {
      const auto asked =
          ask(std::string("multiported-torus:") + torus,
              {.operation = Operation::reduce_scatter, .peers = peers, .elements = elements});
      for (std::size_t rank = 0; rank < peers; ++rank) {
        const Schedule schedule = asked.schedule(rank);
        EXPECT_EQ(sent_by(schedule, elements),
                  elements - at_home(schedule, chunk(elements, peers, rank), elements));
      }
    }
  }
}

/// Messages of a round and its direction, those that a rank would send itself included.
struct Pieces {
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t elements_sent = 0;
};

Pieces pieces_of_last_round(const Schedule& schedule, std::size_t elements) {
  Pieces pieces;
  for (const Lane& lane : schedule.lanes) {
    for (const Transfer& each : lane.round(lane.rounds() - 1)) {
      (each.action == Action::send ? pieces.sent : pieces.received) += 1;
      if (each.action == Action::send) {
        pieces.elements_sent += elements_of(schedule, lane, each, elements);
      }
    }
  }
  return pieces;
}

TEST(TorusReordering, EveryRankSendsAndReceivesAPieceAColor) {
  for (const Dims& dims : {Dims{4, 4}, Dims{2, 3}, Dims{3, 3, 3}, Dims{4, 2, 3}}) {
    const std::size_t peers = product(dims);
    const std::size_t colors = 2 * dims.size();
    const std::size_t elements = 5 * colors * peers;
    const auto asked =
        ask("multiported-torus:" + dims_text(dims) + ":weights=equal",
            {.operation = Operation::reduce_scatter, .peers = peers, .elements = elements});
    for (std::size_t rank = 0; rank < peers; ++rank) {
      const Schedule schedule = asked.schedule(rank);
      const std::size_t kept = at_home(schedule, chunk(elements, peers, rank), elements) / 5;
      const Pieces pieces = pieces_of_last_round(schedule, elements);
      EXPECT_EQ(pieces.sent + kept, colors) << dims_text(dims) << " rank " << rank;
      EXPECT_EQ(pieces.received + kept, colors) << dims_text(dims) << " rank " << rank;
      EXPECT_EQ(pieces.elements_sent, 5 * pieces.sent);
    }
  }
}

TEST(TorusReordering, NoElementTwiceAndNoneMissingForAnyLength) {
  const Dims dims{2, 3, 2};
  const std::size_t peers = 12;
  for (const std::size_t elements : {1U, 11U, 12U, 13U, 71U, 72U, 73U, 1009U}) {
    const auto asked =
        ask("multiported-torus:2x3x2",
            {.operation = Operation::reduce_scatter, .peers = peers, .elements = elements});
    for (std::size_t rank = 0; rank < peers; ++rank) {
      const Schedule schedule = asked.schedule(rank);
      const Range part = chunk(elements, peers, rank);
      std::vector<std::size_t> came(elements);
      for (const Range& run : schedule.owned) {
        const Range range = schedule.cut.elements(run, elements);
        for (std::size_t k = range.begin; k < range.end; ++k) {
          came[k] += part.begin <= k && k < part.end ? 1 : 0;
        }
      }
      for (const Lane& lane : schedule.lanes) {
        for (const Transfer& each : lane.round(lane.rounds() - 1)) {
          for (const Range& run : lane.blocks(each)) {
            const Range range = schedule.cut.elements(run, elements);
            for (std::size_t k = range.begin; k < range.end; ++k) {
              came[k] += each.action == Action::copy ? 1 : 0;
            }
          }
        }
      }
      for (std::size_t k = 0; k < elements; ++k) {
        EXPECT_EQ(came[k], part.begin <= k && k < part.end ? 1U : 0U) << k;
      }
    }
  }
}

/// The directed links of a torus: the rank one leaves, the axis, the direction. On an axis of two
/// both directions lead to one rank, by two links.
using Links = std::map<std::tuple<std::size_t, std::size_t, Turn>, std::size_t>;

/// What the links carry in an all-reduce whose lane c goes in the direction of color c.
Links link_loads(const std::string& algorithm, const Dims& dims, std::size_t elements) {
  const std::size_t peers = product(dims);
  const auto colors = torus_colors(dims.size(), 2 * dims.size());
  Links loads;
  for (const Schedule& schedule :
       ask(algorithm + ":" + dims_text(dims), {.peers = peers, .elements = elements}).schedules()) {
    const Dims here = coordinates(schedule.rank, dims);
    for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
      for (const Transfer& each : schedule.lanes[lane].transfers()) {
        if (each.action != Action::send) {
          continue;
        }
        const Dims there = coordinates(each.peer, dims);
        const auto differs = std::mismatch(here.begin(), here.end(), there.begin());
        const auto axis = static_cast<std::size_t>(differs.first - here.begin());
        const Turn turn = colors[lane].turn;
        EXPECT_EQ(torus_neighbour(schedule.rank, axis, turn, dims), each.peer);
        loads[{schedule.rank, axis, turn}] +=
            elements_of(schedule, schedule.lanes[lane], each, elements);
      }
    }
  }
  return loads;
}

TEST(TorusLinks, EqualAxesLoadEveryLinkWithItsShare) {
  for (const auto& [dims, blocks] : {std::pair(Dims{4, 4}, 15U), std::pair(Dims{3, 3, 3}, 26U)}) {
    const std::size_t sub_blocks = 2 * dims.size() * product(dims);
    const Links loads = link_loads("multiported-torus", dims, 7 * sub_blocks);
    EXPECT_EQ(loads.size(), sub_blocks);  // all 2D links of all p ranks
    for (const auto& [link, elements] : loads) {
      EXPECT_EQ(elements, 2 * 7 * blocks);  // two halves
    }
  }
}

TEST(TorusLinks, EveryPhaseUsesAllLinksOfARank) {
  const Dims dims{3, 3, 3};
  const Schedule schedule = ask("multiported-torus:3x3x3", {.peers = 27}).schedule(13);
  for (std::size_t round = 0; round < 12; ++round) {
    std::vector<std::size_t> peers;
    for (const Lane& lane : schedule.lanes) {
      peers.push_back(lane.round(round).front().peer);
    }
    std::sort(peers.begin(), peers.end());
    EXPECT_EQ(std::unique(peers.begin(), peers.end()) - peers.begin(), 6) << round;
  }
}

/// Load of the worst link by that of every link if all carried the same.
double worst_by_optimum(const std::string& algorithm, const Dims& dims) {
  constexpr std::size_t kElements = std::size_t{84} << 20U;
  std::size_t worst = 0;
  for (const auto& [link, elements] : link_loads(algorithm, dims, kElements)) {
    worst = std::max(worst, elements);
  }
  const auto peers = static_cast<double>(product(dims));
  const double optimum =
      2.0 * (1.0 - 1.0 / peers) * kElements / (2.0 * static_cast<double>(dims.size()));
  return static_cast<double>(worst) / optimum;
}

TEST(TorusLinks, EqualWeightsOnUnequalAxesOverloadTheLongOnes) {
  constexpr double kPrinted = 5e-4;  // three digits
  EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=equal", {8, 4}), 35.0 / 31.0, 1e-6);
  EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=equal", {8, 4}), 1.129, kPrinted);
  EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=equal", {4, 2}), 1.286, kPrinted);
  EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=equal", {4, 4, 2}), 1.258, kPrinted);
  EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=equal", {16, 8, 4}), 1.204, kPrinted);
}

TEST(TorusLinks, SolvedWeightsLoadAllLinksWithTheOptimum) {
  for (const Dims& dims : {Dims{8, 4}, Dims{4, 2}, Dims{4, 4, 2}, Dims{16, 8, 4}}) {
    EXPECT_NEAR(worst_by_optimum("multiported-torus:weights=solved", dims), 1.0, 1e-4)
        << dims_text(dims);
  }
}

}  // namespace
}  // namespace starling::collective
