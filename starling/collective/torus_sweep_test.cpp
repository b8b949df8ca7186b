// Every torus algorithm proved on all tori with up to three axes of extents 1 to 5.
#include "tests/support/torus_sweep.hpp"

#include <gtest/gtest.h>

namespace starling::collective {
namespace {

class EveryTorus : public ::testing::TestWithParam<std::vector<std::size_t>> {};

TEST_P(EveryTorus, IsProvedByTheChecker) {
  testing::expect_torus_proved(GetParam());
}

std::vector<std::vector<std::size_t>> all_tori() {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t a = 1; a <= 5; ++a) {
    all.push_back({a});
    for (std::size_t b = 1; b <= 5; ++b) {
      all.push_back({a, b});
      for (std::size_t c = 1; c <= 5; ++c) {
        all.push_back({a, b, c});
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Tori, EveryTorus, ::testing::ValuesIn(all_tori()), [](const auto& torus) {
  return dims_text(torus.param);
});

}  // namespace
}  // namespace starling::collective
