// Tags, stamps, meters and the shared model: the seam's plain data.
#include "starling/peer/message.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/peer/meter.hpp"
#include "starling/peer/shared_model.hpp"

namespace starling {

namespace {

using ::testing::HasSubstr;

constexpr Expected kExpected{{.group = 2, .operation = 11, .round = 4}, 1024};

TEST(Tag, IsWrittenAsPurposeAndLane) {
  EXPECT_EQ(to_string(Tag{Purpose::mixing, 3}), "mixing/3");
  EXPECT_EQ(to_string(Tag{Purpose::collective, 0}), "collective/0");
  EXPECT_EQ(to_string(Tag{}), "user/0");
  EXPECT_EQ(to_string(Tag{Purpose::control, 1}), "control/1");
}

TEST(Stamp, FitsWhateverItsWeight) {
  Stamp stamp = kExpected.stamp;
  stamp.weight = 0.0;
  EXPECT_EQ(compare(kExpected, stamp, 1024), Fit::fits);
}

TEST(Stamp, OfAnEarlierGroupIsStaleWhateverElseDiffers) {
  EXPECT_EQ(compare(kExpected, {.group = 1, .operation = 99, .round = 77}, 5), Fit::stale);
}

TEST(Stamp, MisfitIsToldWithBothNumbers) {
  const auto with = [](auto change) {
    Stamp stamp = kExpected.stamp;
    change(stamp);
    return stamp;
  };
  const Stamp round = with([](Stamp& stamp) { stamp.round = 5; });
  const Stamp operation = with([](Stamp& stamp) { stamp.operation = 12; });
  const Stamp group = with([](Stamp& stamp) { stamp.group = 3; });
  for (const Stamp& stamp : {round, operation}) {
    EXPECT_EQ(compare(kExpected, stamp, 1024), Fit::misfit);
  }
  EXPECT_EQ(compare(kExpected, group, 1024), Fit::later);
  EXPECT_EQ(compare(kExpected, kExpected.stamp, 1023), Fit::misfit);
  EXPECT_EQ(mismatch_text(kExpected, round, 2048),
            "expected round 4 with 1024 bytes, found round 5 with 2048 bytes");
  EXPECT_THAT(mismatch_text(kExpected, operation, 1024), HasSubstr("operation differs"));
}

TEST(Meter, AddsUp) {
  using namespace std::chrono_literals;
  const Meter one{1, 20, 3, 40, 5s, 6s};
  Meter sum = one;
  sum += one;
  EXPECT_EQ(sum, (Meter{2, 40, 6, 80, 10s, 12s}));
  EXPECT_EQ(sum.overhead_bytes_sent(), 2 * kMessageOverheadBytes);
}

TEST(SharedModel, ReadsAndChangesWithGrowingVersions) {
  const std::array<float, 2> initial = {1.0F, 2.0F};
  SharedModel model(initial);
  EXPECT_EQ(model.size(), 2U);
  std::array<float, 2> found{};
  EXPECT_EQ(model.read(found), 0U);
  EXPECT_EQ(found, initial);
  EXPECT_EQ(model.change([](std::span<float> values) { values[0] = 5.0F; }), 1U);
  EXPECT_EQ(model.read(found), 1U);
  EXPECT_EQ(found[0], 5.0F);
}

}  // namespace

}  // namespace starling
