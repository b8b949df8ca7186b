// Every algorithm on every kind of world against a serial result.
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/collective.hpp"
#include "starling/core/random.hpp"

#include "tests/support/worlds.hpp"

namespace starling::collective {
namespace {

using namespace std::chrono_literals;
using testing::Kind;
using testing::make_world;
using Vector = std::vector<float>;

constexpr Duration kPatience = 20s;

/// Small integers: sums of up to 64 of them are exact in any order.
Vector integers(std::size_t rank, std::size_t elements) {
  Vector values(elements);
  for (std::size_t k = 0; k < elements; ++k) {
    values[k] = static_cast<float>((k * 31 + rank * 17) % 257) - 100.0F;
  }
  return values;
}

Vector reals(std::size_t rank, std::size_t elements) {
  Random random(rank, 42);
  Vector values(elements);
  for (float& value : values) {
    value = static_cast<float>(random.normal());
  }
  return values;
}

template <class Fold>
Vector folded(std::size_t peers, std::size_t elements, Fold fold) {
  Vector total = integers(0, elements);
  for (std::size_t rank = 1; rank < peers; ++rank) {
    const Vector next = integers(rank, elements);
    for (std::size_t k = 0; k < elements; ++k) {
      total[k] = fold(total[k], next[k]);
    }
  }
  return total;
}

Vector summed(std::size_t peers, std::size_t elements) {
  return folded(peers, elements, [](float a, float b) { return a + b; });
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

struct Case {
  Kind kind;
  std::size_t peers;
};

/// With sanitizers, under which all algorithms take minutes, a few.
std::vector<std::size_t> sizes_of_groups() {
#ifdef STARLING_SANITIZED
  return {1, 2, 3, 5, 8};
#else
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 33};
#endif
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Kind kind : testing::all_kinds()) {
    for (const std::size_t n : sizes_of_groups()) {
      all.push_back({kind, n});
    }
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return testing::to_string(info.param.kind) + "_" + std::to_string(info.param.peers);
}

/// Whether the algorithm, with its default parameters, has something against so many peers.
bool exists_for(const std::string& algorithm, Operation operation, std::size_t peers) {
  const Choice choice = find_algorithm(algorithm, operation);
  Request request{.operation = operation, .peers = peers, .elements = 1003};
  choice.fill_in(request, sizeof(float));
  return !choice.entry->why_not(request);
}

/// All ranks of a small group; some of a large one, whose roots the checker has proved.
std::vector<std::size_t> roots_of(const Group& group) {
  const std::size_t n = group.size();
  if (n > 9) {
    return {0, n / 2, n - 1};
  }
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

class Executed : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] std::size_t peers() const { return GetParam().peers; }

  [[nodiscard]] std::vector<std::size_t> sizes() const {
    return {0, 1, peers() - 1, peers(), peers() + 1, 1003};
  }

  RunReport run(const std::function<void(Peer&)>& body) const {
    return make_world(GetParam().kind, {.peers = peers()})->run(body);
  }

  /// Calls body(group, collective, options) for every algorithm of the operation and every size.
  template <class Body>
  void on_all(Operation operation, Body body) const {
    const RunReport report = run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      Collective collective(group);
      std::uint64_t round = 0;
      for (const std::string& algorithm : names_for(operation)) {
        if (!exists_for(algorithm, operation, peers())) {
          continue;
        }
        for (const std::size_t elements : sizes()) {
          const CollectiveOptions options{algorithm, peer.clock().in(kPatience), ++round};
          SCOPED_TRACE(algorithm + " of " + std::to_string(elements));
          body(group, collective, options, elements);
        }
      }
    });
    report.or_throw();
  }
};

INSTANTIATE_TEST_SUITE_P(Worlds, Executed, ::testing::ValuesIn(cases()), name_of);

TEST_P(Executed, AllReduceEqualsTheSerialSum) {
  on_all(Operation::all_reduce,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           const Vector input = integers(group.rank(), elements);
           Vector output(elements, -1.0F);
           collective.all_reduce(input, output, Reduction::sum, options);
           EXPECT_TRUE(same_bits(output, summed(group.size(), elements)));
           EXPECT_TRUE(same_bits(input, integers(group.rank(), elements)));
         });
}

TEST_P(Executed, AllReduceInPlaceEqualsTheSerialMeanMinimumAndMaximum) {
  on_all(
      Operation::all_reduce,
      [](const Group& group,
         Collective& collective,
         CollectiveOptions options,
         std::size_t elements) {
        const std::size_t n = group.size();
        Vector mean = summed(n, elements);
        for (float& each : mean) {
          each *= 1.0F / static_cast<float>(n);
        }
        const std::array<std::pair<Reduction, Vector>, 3> wanted{
            {{Reduction::mean, mean},
             {Reduction::min, folded(n, elements, [](float a, float b) { return std::min(a, b); })},
             {Reduction::max,
              folded(n, elements, [](float a, float b) { return std::max(a, b); })}}};
        for (const auto& [reduction, result] : wanted) {
          Vector values = integers(group.rank(), elements);
          collective.all_reduce(values, reduction, options);
          EXPECT_TRUE(same_bits(values, result)) << to_string(reduction);
        }
      });
}

TEST_P(Executed, AllPeersGetTheSameBitsWithRounding) {
  on_all(
      Operation::all_reduce,
      [](const Group& group,
         Collective& collective,
         const CollectiveOptions& options,
         std::size_t elements) {
        if (!find_algorithm(options.algorithm, Operation::all_reduce).entry->same_bits_everywhere) {
          return;
        }
        for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
          const Vector input = reals(group.rank(), elements);
          Vector output(elements);
          Vector outputs(elements * group.size());
          collective.all_reduce(input, output, reduction, options);
          CollectiveOptions gather = options;
          gather.algorithm = "auto";
          collective.all_gather(output, outputs, gather);
          for (std::size_t rank = 0; rank < group.size(); ++rank) {
            const Range theirs{rank * elements, (rank + 1) * elements};
            EXPECT_TRUE(same_bits(part(std::span<const float>(outputs), theirs), output)) << rank;
          }
        }
      });
}

TEST_P(Executed, ReduceScatterAndAllGatherEqualTheSerialResult) {
  on_all(Operation::reduce_scatter,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           const Range mine = chunk(elements, group.size(), group.rank());
           const Vector input = integers(group.rank(), elements);
           const Vector total = summed(group.size(), elements);
           Vector output(mine.size());
           collective.reduce_scatter(input, output, Reduction::sum, options);
           EXPECT_TRUE(same_bits(output, part(std::span<const float>(total), mine)));
         });
  on_all(Operation::all_gather,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           Vector output(elements * group.size());
           collective.all_gather(integers(group.rank(), elements), output, options);
           for (std::size_t rank = 0; rank < group.size(); ++rank) {
             const Range theirs{rank * elements, (rank + 1) * elements};
             EXPECT_TRUE(
                 same_bits(part(std::span<const float>(output), theirs), integers(rank, elements)));
           }
         });
}

TEST_P(Executed, BroadcastAndReduceWorkFromAnyRoot) {
  on_all(Operation::broadcast,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           for (const std::size_t root : roots_of(group)) {
             Vector values = integers(group.rank(), elements);
             collective.broadcast(values, root, options);
             EXPECT_TRUE(same_bits(values, integers(root, elements))) << "root " << root;
           }
         });
  on_all(Operation::reduce,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           for (const std::size_t root : roots_of(group)) {
             Vector total(root == group.rank() ? elements : 0);
             collective.reduce(
                 integers(group.rank(), elements), total, Reduction::sum, root, options);
             if (root == group.rank()) {
               EXPECT_TRUE(same_bits(total, summed(group.size(), elements))) << "root " << root;
             }
           }
         });
}

TEST_P(Executed, ScatterAndGatherWorkFromAnyRoot) {
  on_all(Operation::scatter,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           const Range mine = chunk(elements, group.size(), group.rank());
           for (const std::size_t root : roots_of(group)) {
             const Vector whole = integers(root, elements);
             Vector output(mine.size());
             collective.scatter(whole, output, elements, root, options);
             EXPECT_TRUE(same_bits(output, part(std::span<const float>(whole), mine))) << root;
           }
         });
  on_all(Operation::gather,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           const Range mine = chunk(elements, group.size(), group.rank());
           const Vector whole = integers(7, elements);
           for (const std::size_t root : roots_of(group)) {
             Vector output(root == group.rank() ? elements : 0);
             collective.gather(
                 part(std::span<const float>(whole), mine), output, elements, root, options);
             if (root == group.rank()) {
               EXPECT_TRUE(same_bits(output, whole)) << root;
             }
           }
         });
}

/// What `from` sends to `to`, `elements` numbers.
Vector letter(std::size_t from, std::size_t to, std::size_t elements) {
  return integers(100 * from + to, elements);
}

TEST_P(Executed, AllToAllDeliversEveryPart) {
  on_all(Operation::all_to_all,
         [](const Group& group,
            Collective& collective,
            const CollectiveOptions& options,
            std::size_t elements) {
           const std::size_t each = elements % 50;
           Vector input;
           Vector wanted;
           for (std::size_t other = 0; other < group.size(); ++other) {
             const Vector out = letter(group.rank(), other, each);
             const Vector in = letter(other, group.rank(), each);
             input.insert(input.end(), out.begin(), out.end());
             wanted.insert(wanted.end(), in.begin(), in.end());
           }
           Vector output(input.size());
           collective.all_to_all(input, output, options);
           EXPECT_TRUE(same_bits(output, wanted));
         });
}

/// Lengths that differ from pair to pair, some of them 0.
std::size_t uneven(std::size_t from, std::size_t to) {
  return (3 * from + 5 * to) % 7;
}

TEST_P(Executed, PartsMayHaveAnyLengths) {
  const std::size_t n = peers();
  std::vector<std::size_t> counts;
  std::vector<std::size_t> matrix;
  for (std::size_t from = 0; from < n; ++from) {
    counts.push_back(uneven(from, 3));
    for (std::size_t to = 0; to < n; ++to) {
      matrix.push_back(uneven(from, to));
    }
  }
  run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::size_t r = group.rank();
    const CollectiveOptions options{.deadline = peer.clock().in(kPatience), .round = 1};
    Vector all;
    Vector out;
    Vector in;
    for (std::size_t other = 0; other < n; ++other) {
      const Vector theirs = integers(other, counts[other]);
      const Vector sent = letter(r, other, uneven(r, other));
      const Vector received = letter(other, r, uneven(other, r));
      all.insert(all.end(), theirs.begin(), theirs.end());
      out.insert(out.end(), sent.begin(), sent.end());
      in.insert(in.end(), received.begin(), received.end());
    }
    Vector gathered(all.size());
    all_gather(group, integers(r, counts[r]), gathered, counts, options);
    EXPECT_TRUE(same_bits(gathered, all));
    Vector arrived(in.size());
    all_to_all(group, out, arrived, matrix, options);
    EXPECT_TRUE(same_bits(arrived, in));
  }).or_throw();
}

TEST_P(Executed, NobodyLeavesABarrierBeforeAllHaveEntered) {
  std::atomic<std::size_t> entered{0};
  run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    peer.clock().sleep_for(std::chrono::milliseconds(peer.id().value % 3));
    entered += 1;
    barrier(group, {.deadline = peer.clock().in(kPatience)});
    EXPECT_EQ(entered.load(), group.size());
  }).or_throw();
}

/// Messages and bytes one all-reduce sends by the formulas of docs/collectives.md. @pre n divides
/// elements
Meter formula(const std::string& algorithm, std::size_t n, std::size_t elements) {
  const std::size_t bytes = elements * sizeof(float);
  const std::size_t halves = 2 * (n - 1) * bytes / n;
  if (algorithm == "ring") {
    return {.messages_sent = 2 * (n - 1), .payload_bytes_sent = halves};
  }
  const std::size_t rounds = ceil_log2(n);
  if (algorithm == "recursive-doubling") {
    return {.messages_sent = rounds, .payload_bytes_sent = rounds * bytes};
  }
  return {.messages_sent = 2 * rounds, .payload_bytes_sent = halves};
}

TEST_P(Executed, SendsWhatTheFormulasSay) {
  const std::size_t n = peers();
  const std::size_t elements = 64 * n;
  for (const std::string algorithm :
       {"ring", "circulant", "recursive-doubling", "halving-doubling"}) {
    if (!std::has_single_bit(n) && algorithm.find("doubling") != std::string::npos) {
      continue;
    }
    const RunReport report = run([&](Peer& peer) {
      Vector values = reals(peer.id().value, elements);
      all_reduce(Group::everyone(peer),
                 values,
                 Reduction::sum,
                 {algorithm, peer.clock().in(kPatience), 1});
    });
    report.or_throw();
    const Meter wanted = formula(algorithm, n, elements);
    for (const PeerOutcome& outcome : report.peers) {
      EXPECT_EQ(outcome.meter.messages_sent, wanted.messages_sent) << algorithm;
      EXPECT_EQ(outcome.meter.payload_bytes_sent, wanted.payload_bytes_sent) << algorithm;
      EXPECT_EQ(outcome.meter.payload_bytes_received, wanted.payload_bytes_sent) << algorithm;
    }
  }
}

/// A ring each way at once: lane 0 takes the first half of the blocks up, lane 1 the others down.
Schedule two_way_ring(std::size_t n, std::size_t r) {
  Schedule schedule = make_schedule(n, r, 2 * n);
  schedule.lanes.resize(2);
  schedule.owned = {{r, r + 1}, {n + r, n + r + 1}};
  const std::array<std::size_t, 2> strides{1, n - 1};
  for (std::size_t lane = 0; lane < 2; ++lane) {
    const std::size_t stride = strides[lane];
    const auto block = [&](std::size_t steps) {
      const std::size_t index = lane * n + (r + steps * (n - stride)) % n;
      return Range{index, index + 1};
    };
    for (std::size_t t = 0; t + 1 < n; ++t) {
      schedule.lanes[lane].open_round();
      schedule.lanes[lane].transfer(Action::send, (r + stride) % n, {block(t)});
      schedule.lanes[lane].transfer(Action::copy, (r + n - stride) % n, {block(t + 1)});
    }
  }
  return schedule;
}

TEST_P(Executed, LanesGoForwardTogether) {
  constexpr std::size_t kElements = 1003;
  run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const Request request{.peers = group.size(), .rank = group.rank()};
    Schedule gather = two_way_ring(group.size(), group.rank());
    // The reversal of a ring turns its direction, so each lane uses both in turn.
    const Plan plan = make_plan(request, joined(reversed(gather), gather));
    const Vector input = integers(group.rank(), kElements);
    Vector output(kElements);
    Executor executor(group);
    for (std::uint64_t round = 0; round < 3; ++round) {
      executor.run(plan,
                   {input, output, kElements},
                   {"two-way ring", Reduction::sum, round, peer.clock().in(kPatience)});
      EXPECT_TRUE(same_bits(output, summed(group.size(), kElements)));
    }
  }).or_throw();
}

}  // namespace
}  // namespace starling::collective
