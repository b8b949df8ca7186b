#include "starling/core/text.hpp"

#include <gtest/gtest.h>

namespace starling {

namespace {

const std::vector<std::string> kNames = {"exponential", "ring", "torus", "full"};

TEST(Text, AWordThatSharesNothingWithANameIsNoSlipOfIt) {
  const std::vector<std::string> names{"n", "on", "eta"};
  EXPECT_EQ(nearest_name("x", names), std::nullopt);
  EXPECT_EQ(nearest_name("xy", names), std::nullopt);
  EXPECT_EQ(nearest_name("n", names), "n");
  EXPECT_EQ(nearest_name("no", names), std::nullopt) << "an n is not half of it";
  EXPECT_EQ(nearest_name("ok", names), "on");
}

TEST(Text, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest_name("exponental", kNames), "exponential");
  EXPECT_EQ(nearest_name("rnig", kNames), "ring");
  EXPECT_EQ(nearest_name("ring", kNames), "ring");
  EXPECT_EQ(nearest_name("hypercube", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("ring", {}), std::nullopt);
}

TEST(Text, ASlipIsTwoEditsOrAThirdOfTheLetters) {
  EXPECT_EQ(nearest_name("exponen", kNames), "exponential") << "a beginning, at any distance";
  EXPECT_EQ(nearest_name("rin", kNames), "ring");
  EXPECT_EQ(nearest_name("ropus", kNames), "torus") << "two edits";
  EXPECT_EQ(nearest_name("ropes", kNames), std::nullopt) << "three";
  EXPECT_EQ(nearest_name("axpanantial", kNames), "exponential") << "three, a third of eleven";
  EXPECT_EQ(nearest_name("axpanantiel", kNames), std::nullopt) << "four";
  EXPECT_EQ(nearest_name("fing", std::vector<std::string>{"ring", "king"}), "ring")
      << "the first of equal ones";
}

TEST(Text, SuggestsOrLists) {
  EXPECT_EQ(suggestion("exponental", kNames), "; did you mean 'exponential'?");
  EXPECT_EQ(suggestion("hypercube", kNames), "; one of: exponential, ring, torus, full");
}

TEST(Text, ABeginningMeansTheNamesItBegins) {
  const std::vector<std::string> policies = {"stop", "skip-peer", "skip-round"};
  EXPECT_EQ(suggestion("skip", policies), "; did you mean 'skip-peer' or 'skip-round'?");
  EXPECT_EQ(suggestion("skip-p", policies), "; did you mean 'skip-peer'?");
  EXPECT_EQ(nearest_name("expo", kNames), "exponential");
  EXPECT_EQ(nearest_name("e", kNames), std::nullopt) << "one letter means nothing";
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a::b", ':'), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ':'), (std::vector<std::string>{""}));
  EXPECT_EQ(split("a:", ':'), (std::vector<std::string>{"a", ""}));
}

TEST(Text, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_double("0.25"), 0.25);
  EXPECT_EQ(parse_double("-1e-3"), -1e-3);
  EXPECT_EQ(parse_size("42"), 42U);
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "1,5", "--1"}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
  for (const char* text : {"", "-1", "+1", "1.0", "1e3", "18446744073709551616"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

}  // namespace

}  // namespace starling
