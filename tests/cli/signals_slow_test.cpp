// Two hundred interruptions at random moments.
#include <gtest/gtest.h>

#include "tests/cli/interruption.hpp"

namespace starling::testing {
namespace {

TEST(Interruption, EndsCleanlyAtTwoHundredRandomMoments) {
  for (std::uint64_t seed = 1000; seed < 1200 && !HasFailure(); ++seed) {
    interrupt_at_random_moment(seed);
  }
}

}  // namespace
}  // namespace starling::testing
