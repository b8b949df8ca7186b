#include "starling/objective/spec.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::objective {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Spec, TakesEveryFormOfArgument) {
  Spec spec("model", "quadratic:graded:d=7:zeta=0.5:3");
  EXPECT_EQ(spec.name(), "quadratic");
  EXPECT_TRUE(spec.flag("graded"));
  EXPECT_FALSE(spec.flag("absent"));
  EXPECT_EQ(spec.count("d", 1, {}), 7U);
  EXPECT_EQ(spec.number("zeta", 1.0, {}), 0.5);
  EXPECT_EQ(spec.number("sigma", 0.25, {}), 0.25);
  EXPECT_EQ(spec.positional_count("K", {}), 3U);
  EXPECT_NO_THROW(spec.finish());
}

TEST(Spec, RefusesArgumentsNobodyAskedFor) {
  Spec spec("model", "quadratic:zetta=3");
  spec.number("zeta", 1.0, {});
  spec.number("sigma", 1.0, {});
  EXPECT_EQ(refusal([&] { spec.finish(); }),
            "model 'quadratic:zetta=3': there is no argument 'zetta'; did you mean 'zeta'?");
  EXPECT_THAT(refusal([] { Spec("data", "none:x").finish(); }), HasSubstr("it takes no more"));
}

TEST(Spec, RefusesAnArgumentThatStandsThereTwice) {
  Spec spec("model", "quadratic:d=3:d=4");
  spec.count("d", 1, {});
  EXPECT_THAT(refusal([&] { spec.finish(); }), HasSubstr("'d' stands there twice"));
}

TEST(Spec, RefusesValuesOutsideTheirLimits) {
  const auto count = [](const char* text) {
    return refusal([&] { Spec("model", text).count("d", 1, {.least = 1, .most = 10}); });
  };
  EXPECT_EQ(count("m:d=0"),
            "model 'm:d=0': d is '0', expected a whole number at least 1, at most 10");
  EXPECT_EQ(count("m:d=1,e=2"),
            "model 'm:d=1,e=2': d is '1,e=2', expected a whole number at least 1, at most 10; "
            "arguments are separated by colons: d=1:e=2");
  EXPECT_THAT(count("m:d=11"), HasSubstr("at most 10"));
  EXPECT_THAT(count("m:d=-1"), HasSubstr("d is '-1'"));
  EXPECT_THAT(count("m:d="), HasSubstr("d is ''"));
  EXPECT_THAT(count("m:d=2x"), HasSubstr("d is '2x'"));
  EXPECT_THAT(count("m:d=99999999999999999999999"), HasSubstr("whole number"));
  EXPECT_EQ(count("m:d=10"), "accepted");
  for (const char* text : {"m:z=nan", "m:z=inf", "m:z=-0.5", "m:z=1,5"}) {
    EXPECT_THAT(refusal([&] { Spec("model", text).number("z", 1.0, {}); }), HasSubstr("a number"))
        << text;
  }
}

TEST(Spec, SaysWhichArgumentIsMissing) {
  EXPECT_THAT(refusal([] { Spec("partition", "shards").positional_count("K", {}); }),
              StartsWith("partition 'shards': the K is missing, expected shards:K"));
  EXPECT_THAT(refusal([] { Spec("partition", "shards:").positional_count("K", {}); }),
              HasSubstr("the K is missing"));
}

}  // namespace
}  // namespace starling::objective
