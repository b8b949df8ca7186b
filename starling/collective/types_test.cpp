// Every type and every reduction, whole and in parts, in the background and again after a failure.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/collective/background.hpp"
#include "starling/collective/collective.hpp"
#include "starling/core/error.hpp"

#include "tests/support/worlds.hpp"

namespace starling::collective {
namespace {

using testing::Kind;
using testing::make_world;
using namespace std::chrono_literals;

constexpr Duration kPatience = 60s;
constexpr std::size_t kElements = 1003;

template <class T>
T from_number(int value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// Small integers, so that every type has them and their sums, products of a few included.
int number(std::size_t rank, std::size_t k) {
  return static_cast<int>((rank * 7 + k * 3) % 3) + 1;
}

template <class T>
std::vector<T> input_of(std::size_t rank) {
  std::vector<T> values;
  for (std::size_t k = 0; k < kElements; ++k) {
    values.push_back(from_number<T>(number(rank, k)));
  }
  return values;
}

int combined(Reduction reduction, int a, int b) {
  switch (reduction) {
    case Reduction::min:
      return std::min(a, b);
    case Reduction::max:
      return std::max(a, b);
    case Reduction::product:
      return a * b;
    case Reduction::sum:
    case Reduction::mean:
      break;
  }
  return a + b;
}

template <class T>
std::vector<T> wanted(Reduction reduction, std::size_t peers) {
  std::vector<T> values;
  for (std::size_t k = 0; k < kElements; ++k) {
    int all = number(0, k);
    for (std::size_t rank = 1; rank < peers; ++rank) {
      all = combined(reduction, all, number(rank, k));
    }
    // Four peers: a mean is exact in every float type here; integers divide towards zero.
    if (reduction != Reduction::mean) {
      values.push_back(from_number<T>(all));
    } else if constexpr (std::is_integral_v<T>) {
      values.push_back(static_cast<T>(all / static_cast<int>(peers)));
    } else if constexpr (std::is_floating_point_v<T>) {
      values.push_back(static_cast<T>(all) / static_cast<T>(peers));
    } else if constexpr (std::is_same_v<T, Half>) {
      values.push_back(to_half(static_cast<float>(all) / static_cast<float>(peers)));
    } else {
      values.push_back(to_bfloat16(static_cast<float>(all) / static_cast<float>(peers)));
    }
  }
  return values;
}

class OfAnyType : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Worlds,
                         OfAnyType,
                         ::testing::ValuesIn(testing::all_kinds()),
                         [](const ::testing::TestParamInfo<Kind>& kind) {
                           return testing::to_string(kind.param);
                         });

template <class T>
void expect_all_reductions(const Group& group, CollectiveOptions options) {
  Collective collective(group);
  for (const Reduction reduction :
       {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max, Reduction::product}) {
    for (const std::string algorithm : {"ring", "recursive-doubling", "halving-doubling"}) {
      options.algorithm = algorithm;
      options.round += 1;
      const std::vector<T> input = input_of<T>(group.rank());
      std::vector<T> output(kElements);
      collective.all_reduce(input, output, reduction, options);
      EXPECT_EQ(output, wanted<T>(reduction, group.size()))
          << to_string(kDataTypeOf<T>) << " " << to_string(reduction) << " " << algorithm;
    }
  }
}

TEST_P(OfAnyType, EveryReductionIsExactOnSmallIntegers) {
  make_world(GetParam(), {.peers = 4})
      ->run([](Peer& peer) {
        const Group group = Group::everyone(peer);
        const CollectiveOptions options{.deadline = peer.clock().in(kPatience)};
        expect_all_reductions<float>(group, options);
        expect_all_reductions<double>(group, options);
        expect_all_reductions<Half>(group, options);
        expect_all_reductions<BFloat16>(group, options);
        expect_all_reductions<std::int32_t>(group, options);
        expect_all_reductions<std::int64_t>(group, options);
      })
      .or_throw();
}

TEST_P(OfAnyType, MembersWithOtherTypesAreRefusedByName) {
  const RunReport report = make_world(GetParam(), {.peers = 3})->run([](Peer& peer) {
    const Group group = Group::everyone(peer);
    const CollectiveOptions options{.algorithm = "ring", .deadline = peer.clock().in(kPatience)};
    std::vector<float> floats(12, 1.0F);
    std::vector<std::int32_t> integers(12, 1);
    try {
      if (peer.id().value == 1) {
        Collective(group).all_reduce(integers, Reduction::sum, options);
      } else {
        Collective(group).all_reduce(floats, Reduction::sum, options);
      }
      ADD_FAILURE() << "floats were added to integers";
    } catch (const PeerLost& lost) {
      EXPECT_EQ(lost.failure().culprit.value, 1U) << lost.what();
    }
    EXPECT_EQ(floats, std::vector<float>(12, 1.0F));
    EXPECT_EQ(integers, std::vector<std::int32_t>(12, 1));
  });
  report.or_throw();
}

TEST_P(OfAnyType, LongMessagesTravelInPartsWithTheSameResult) {
  make_world(GetParam(), {.peers = 3})
      ->run([](Peer& peer) {
        const Group group = Group::everyone(peer);
        Collective collective(group);
        std::uint64_t round = 0;
        for (const std::string algorithm : {"ring", "circulant", "halving-doubling"}) {
          for (const std::size_t bytes : {1U, 9U, 64U, 1000U, 1U << 20U}) {
            const std::vector<double> input = input_of<double>(group.rank());
            std::vector<double> output(kElements);
            collective.all_reduce(input,
                                  output,
                                  Reduction::sum,
                                  {.algorithm = algorithm,
                                   .deadline = peer.clock().in(kPatience),
                                   .round = ++round,
                                   .message_bytes = bytes});
            EXPECT_EQ(output, wanted<double>(Reduction::sum, 3)) << algorithm << " " << bytes;
          }
        }
      })
      .or_throw();
}

TEST_P(OfAnyType, MembersThatCutMessagesOtherwiseAreRefusedByName) {
  make_world(GetParam(), {.peers = 3})
      ->run([](Peer& peer) {
        const Group group = Group::everyone(peer);
        std::vector<float> values(100, 1.0F);
        CollectiveOptions options{.algorithm = "ring", .deadline = peer.clock().in(kPatience)};
        options.message_bytes = peer.id().value == 2 ? 8 : 16;
        try {
          Collective(group).all_reduce(values, Reduction::sum, options);
          ADD_FAILURE() << "parts of different lengths fitted";
        } catch (const PeerLost& lost) {
          EXPECT_EQ(lost.failure().culprit.value, 2U) << lost.what();
        }
        EXPECT_EQ(values, std::vector<float>(100, 1.0F));
      })
      .or_throw();
}

TEST_P(OfAnyType, OperationsInTheBackgroundDoNotMixWithOthers) {
  constexpr std::size_t kAtOnce = 20;  // more than there are slots
  make_world(GetParam(), {.peers = 4})
      ->run([](Peer& peer) {
        const Group group = Group::everyone(peer);
        const Deadline deadline = peer.clock().in(kPatience);
        Background background(group);
        std::vector<std::vector<float>> inputs;
        std::vector<std::vector<float>> outputs(kAtOnce, std::vector<float>(kElements));
        std::vector<Handle> handles;
        for (std::size_t k = 0; k < kAtOnce; ++k) {
          inputs.emplace_back(kElements, static_cast<float>(k + group.rank()));
        }
        for (std::size_t k = 0; k < kAtOnce; ++k) {
          handles.push_back(background.start([&, k](Collective& collective) {
            collective.all_reduce(
                inputs[k], outputs[k], Reduction::sum, {.deadline = deadline, .round = k});
          }));
        }
        std::vector<float> meanwhile(kElements, 1.0F);
        Collective(group).all_reduce(meanwhile, Reduction::sum, {.deadline = deadline});
        EXPECT_EQ(meanwhile, std::vector<float>(kElements, 4.0F));
        for (std::size_t k = 0; k < kAtOnce; ++k) {
          handles[k].wait(deadline);
          EXPECT_TRUE(handles[k].is_done());
          EXPECT_EQ(outputs[k], std::vector<float>(kElements, static_cast<float>(4 * k + 6))) << k;
        }
      })
      .or_throw();
}

TEST_P(OfAnyType, AFailureInTheBackgroundIsToldByWait) {
  make_world(GetParam(), {.peers = 2})
      ->run([](Peer& peer) {
        const Group group = Group::everyone(peer);
        const Deadline deadline = peer.clock().in(kPatience);
        Background background(group);
        std::vector<float> values(8, 1.0F);
        Handle handle = background.start([&](Collective& collective) {
          collective.all_reduce(
              values, Reduction::sum, {.deadline = deadline, .round = peer.id().value});
        });
        EXPECT_THROW(handle.wait(deadline), PeerLost);
        EXPECT_EQ(values, std::vector<float>(8, 1.0F));
      })
      .or_throw();
}

}  // namespace
}  // namespace starling::collective
