#include "starling/cli/option.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "starling/cli/option_values.hpp"

namespace starling::cli {
namespace {

class Options : public ::testing::TestWithParam<const OptionSet& (*)()> {
 protected:
  static const OptionSet& options() { return GetParam()(); }
};

INSTANTIATE_TEST_SUITE_P(Commands,
                         Options,
                         ::testing::Values(train_options, average_options),
                         [](const auto& test) { return test.param().command(); });

TEST_P(Options, HaveUniqueNamesAndStandTogetherBySection) {
  std::set<std::string> names;
  std::set<std::string> sections;
  std::string section;
  for (const Option& option : options().all()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    if (option.section != section) {
      section = option.section;
      EXPECT_TRUE(sections.insert(section).second) << "section comes back: " << section;
    }
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_EQ(option.value.empty(), option.kind == ValueKind::flag) << option.name;
  }
}

TEST_P(Options, ASynonymIsNotAnOption) {
  for (const Option& option : options().all()) {
    for (const std::string& synonym : option.synonyms) {
      EXPECT_EQ(options().find(synonym), nullptr) << synonym;
    }
  }
}

/// What an option shows can be given back to it: the printed configuration is a configuration.
TEST_P(Options, TakeBackTheDefaultTheyShow) {
  for (const Option& option : options().all()) {
    std::string value = option.show(Settings{});
    if (value.empty()) {
      continue;
    }
    if (option.kind == ValueKind::text) {
      value = value.substr(1, value.size() - 2);
    }
    Settings settings;
    EXPECT_EQ(option.set(settings, value), "") << option.name;
    EXPECT_EQ(option.show(settings), option.show(Settings{})) << option.name;
  }
}

TEST_P(Options, EachStoresWhatItIsGiven) {
  for (const Option& option : options().all()) {
    if (option.kind != ValueKind::whole && option.kind != ValueKind::real) {
      continue;
    }
    Settings settings;
    const bool whole = option.kind == ValueKind::whole;
    ASSERT_EQ(option.set(settings, whole ? "1" : "0.25"), "") << option.name;
    EXPECT_EQ(option.show(settings), whole ? "1" : "0.25") << option.name;
    Settings other;
    ASSERT_EQ(option.set(other, whole ? "2" : "0.5"), "") << option.name;
    EXPECT_EQ(option.show(other), whole ? "2" : "0.5") << option.name;
  }
}

TEST_P(Options, RefuseWhatIsNoNumber) {
  for (const Option& option : options().all()) {
    const bool numeric = option.kind == ValueKind::whole || option.kind == ValueKind::real ||
                         option.kind == ValueKind::reals;
    if (!numeric) {
      continue;
    }
    for (const char* value : {"", "x", "1x", "-1", "nan", "inf", "1e999", "1,5x", " 1", "0x10"}) {
      Settings settings;
      EXPECT_NE(option.set(settings, value), "") << option.name << " took '" << value << "'";
    }
  }
}

TEST(OptionNames, ASlipOfTheFingersIsRecognised) {
  EXPECT_EQ(train_options().suggest("learning_rte"), "; did you mean 'lr'?");
  EXPECT_EQ(train_options().suggest("batch_size"), "; did you mean 'batch'?");
  EXPECT_EQ(train_options().suggest("topologie"), "; did you mean 'topology'?");
  EXPECT_EQ(train_options().suggest("checkpoint_every"), "; did you mean 'checkpoint-every'?");
  EXPECT_EQ(train_options().suggest("qqqqqqqqqqqqqq"), "; see starling train --help");
  EXPECT_EQ(train_options().suggest("no"), "; see starling train --help");
  EXPECT_EQ(train_options().suggest("n"), "; did you mean 'peers'?");
  EXPECT_EQ(average_options().suggest("failures"), "; did you mean 'failure-rate'?");
  EXPECT_EQ(average_options().suggest("topology"), "; did you mean 'averager'?");
  EXPECT_EQ(average_options().suggest("momentum"), "; see starling average --help");
}

TEST(OptionNames, AnInjectionNamesPeerStepAndValue) {
  const Option* inject = train_options().find("inject");
  Settings settings;
  EXPECT_EQ(inject->set(settings, "5:7:nan,3:9:inf"), "");
  EXPECT_EQ(inject->show(settings), R"(["5:7:nan", "3:9:inf"])");
  for (const char* value :
       {"5", "1:2", "5:x:nan", "x:5:nan", "1:2:3", "1:2:nan:4", ":", "1:2:nan,"}) {
    Settings other;
    EXPECT_NE(inject->set(other, value), "") << value;
  }
}

TEST(OptionValues, TomlLiteralsAreTomlInEveryCase) {
  EXPECT_EQ(toml_real(1.0), "1.0");
  EXPECT_EQ(toml_real(0.1F), "0.1");
  EXPECT_EQ(toml_real(1e-8F), "1e-08");
  EXPECT_EQ(toml_text("a\"b\\c\n"), R"("a\"b\\c\u000A")");
}

TEST(OptionValues, RangesHoldTheirEnds) {
  std::string wrong;
  EXPECT_TRUE(read_whole("3", {3, 5}, wrong));
  EXPECT_TRUE(read_whole("5", {3, 5}, wrong));
  EXPECT_EQ(wrong, "");
  EXPECT_FALSE(read_whole("6", {3, 5}, wrong));
  EXPECT_EQ(wrong, "expected a whole number, 3 to 5, found '6'");
  EXPECT_FALSE(read_whole("0", {.least = 1}, wrong));
  EXPECT_EQ(wrong, "expected a whole number, at least 1, found '0'");
  // Beyond what a whole number can be, the limit is said even where it is not in help.
  for (const std::string huge : {"9223372036854775808", "18446744073709551616"}) {
    EXPECT_FALSE(read_whole(huge, {}, wrong));
    EXPECT_EQ(wrong, "expected a whole number, 0 to 9223372036854775807, found '" + huge + "'");
    EXPECT_FALSE(read_whole(huge, {.least = 1}, wrong));
    EXPECT_EQ(wrong, "expected a whole number, 1 to 9223372036854775807, found '" + huge + "'");
  }
  EXPECT_TRUE(read_whole("9223372036854775807", {}, wrong));
  EXPECT_FALSE(read_whole("x", {}, wrong));
  EXPECT_EQ(wrong, "expected a whole number, found 'x'");
  read_whole("-1", {}, wrong);
  EXPECT_EQ(wrong, "expected a whole number, 0 to 9223372036854775807, found '-1'");
  read_whole("-", {}, wrong);
  EXPECT_EQ(wrong, "expected a whole number, found '-'");
  const RealRange above{.least = 0.0, .most = 1.0, .least_end = RealRange::End::excluded};
  EXPECT_FALSE(read_real("0", above, wrong));
  EXPECT_EQ(wrong, "expected a number, above 0 to 1, found '0'");
  EXPECT_TRUE(read_real("1", above, wrong));
  const RealRange below{.most = 1.0, .most_end = RealRange::End::excluded};
  EXPECT_FALSE(read_real("1", below, wrong));
  EXPECT_EQ(wrong, "expected a number, 0 to below 1, found '1'");
}

TEST(OptionValues, ANumberIsJudgedAsTheFloatThatItBecomes) {
  std::string wrong;
  EXPECT_EQ(read_single("0.1", {}, wrong), 0.1F);
  EXPECT_FALSE(read_single("1e300", {}, wrong));
  EXPECT_EQ(wrong, "expected a number, at least 0, found '1e300', which is inf in 32 bits");
  EXPECT_FALSE(
      read_single("0.999999999999", {.most = 1.0, .most_end = RealRange::End::excluded}, wrong));
  EXPECT_EQ(wrong,
            "expected a number, 0 to below 1, found '0.999999999999', which is 1.0 in 32 bits");
}

TEST(OptionValues, AListIsRefusedByTheNumberThatIsNone) {
  std::string wrong;
  const RealRange above{.least_end = RealRange::End::excluded};
  EXPECT_EQ(read_reals("0.5,2", above, wrong), (std::vector<double>{0.5, 2.0}));
  EXPECT_EQ(wrong, "");
  EXPECT_TRUE(read_reals("0.5;2", above, wrong).empty());
  EXPECT_EQ(wrong, "expected numbers, each above 0, with commas between them, found '0.5;2'");
  read_reals("0.5,,2", above, wrong);
  EXPECT_EQ(wrong,
            "expected numbers, each above 0, with commas between them, found '' in '0.5,,2'");
}

}  // namespace
}  // namespace starling::cli
