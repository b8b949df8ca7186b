// Groups inside, leaders across.
#include "starling/collective/hierarchical.hpp"

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::proved;

TEST(Hierarchical, IsExactForAnyLevelsAndRoots) {
  for (const char* dims : {"1", "5", "1x4", "4x1", "2x3", "3x2", "4x8", "2x3x4", "2x2x2x2"}) {
    const std::size_t n = product(parse_dims(dims));
    const std::string text = std::string("hierarchical:") + dims;
    for (const std::size_t elements : {std::size_t{0}, n - 1, 5 * n + 3}) {
      proved(text, {.peers = n, .elements = elements});
      for (std::size_t root = 0; root < n; ++root) {
        for (const auto operation : {Operation::broadcast, Operation::reduce}) {
          proved(text, {.operation = operation, .peers = n, .root = root, .elements = elements});
        }
      }
    }
  }
}

TEST(Hierarchical, OnlyLeadersTalkToOtherGroups) {
  constexpr std::size_t kGroup = 8;
  const auto expect_leaders = [](const Verdict& verdict, std::size_t leader) {
    for (const auto& [link, traffic] : verdict.links) {
      if (link.first / kGroup != link.second / kGroup) {
        EXPECT_EQ(link.first % kGroup, leader);
        EXPECT_EQ(link.second % kGroup, leader);
      }
    }
  };
  expect_leaders(proved("hierarchical:4x8", {.peers = 32, .elements = 64}), 0);
  // A broadcast goes through those who lie in their groups as the root does.
  const Request broadcast{
      .operation = Operation::broadcast, .peers = 32, .root = 11, .elements = 64};
  expect_leaders(proved("hierarchical:4x8", broadcast), 3);
}

TEST(Hierarchical, CrossesGroupsWithTheLeastBytes) {
  // Circulant among 4 leaders: 2 (1 - 1/4) of the vector each, whatever the size of a group.
  const Verdict verdict = proved("hierarchical:4x8", {.peers = 32, .elements = 64});
  std::size_t across = 0;
  for (const auto& [link, traffic] : verdict.links) {
    across += link.first / 8 != link.second / 8 ? traffic.elements : 0;
  }
  EXPECT_EQ(across, 4U * 2 * 48);
}

}  // namespace
}  // namespace starling::collective
