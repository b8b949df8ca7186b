#include "starling/simulation/faults.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "starling/core/error.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::simulation {

namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A faults file that goes with the test.
class FaultsFile : public ::testing::Test {
 protected:
  ~FaultsFile() override { std::filesystem::remove(path_); }

  FaultPlan read(const std::string& text, std::size_t peers = 8) {
    std::ofstream(path_) << text;
    return plan_faults(path_, {.peers = peers, .seed = 7});
  }

  std::string refusal(const std::string& text) {
    try {
      (void)read(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::string path_ = ::testing::TempDir() + "starling_faults_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

std::string refusal_of_rates(const std::string& rates) {
  try {
    (void)plan_faults(rates, {.peers = 8, .seed = 7});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Rates, AreDrawnPerPeerWithinTheWindow) {
  const FaultPlan plan = plan_faults("kill:0.3:5s,window:2s", {.peers = 1000, .seed = 7});
  // Binomial(1000, 0.3): mean 300, standard deviation 14.5; five of them.
  EXPECT_NEAR(static_cast<double>(plan.faults.size()), 300, 73);
  for (const Fault& fault : plan.faults) {
    EXPECT_EQ(fault.kind, Fault::Kind::kill);
    EXPECT_LT(fault.from, Time{2s});
    EXPECT_EQ(fault.until - fault.from, 5s);
  }
}

TEST(Rates, EveryKindHasItsForm) {
  const FaultPlan plan = plan_faults("kill:1,pause:1:5s,slow:1x4,linkdown:1:2s,delay:0.02:100ms",
                                     {.peers = 1, .seed = 7});
  ASSERT_EQ(plan.faults.size(), 5U);
  EXPECT_EQ(plan.faults[0].until, Time::max());
  EXPECT_LT(plan.faults[0].from, Time{10s});
  EXPECT_EQ(plan.faults[1].until - plan.faults[1].from, 5s);
  EXPECT_EQ(plan.faults[2].factor, 4.0);
  EXPECT_EQ(plan.faults[2].from, Time{});
  EXPECT_EQ(plan.faults[2].until, Time::max());
  EXPECT_EQ(plan.faults[3].kind, Fault::Kind::link_down);
  EXPECT_EQ(plan.faults[3].other, std::nullopt);
  EXPECT_EQ(plan.faults[4].by, 100ms);
  EXPECT_EQ(plan.faults[4].probability, 0.02);
  EXPECT_EQ(plan.faults[4].peer, std::nullopt);
  EXPECT_TRUE(plan.has(Fault::Kind::pause));
  EXPECT_FALSE(FaultPlan{}.has(Fault::Kind::pause));
}

TEST(Rates, DependOnSeedAndRankOnly) {
  const auto killed = [](std::size_t peers, std::uint64_t seed, const char* rates) {
    FaultPlan plan = plan_faults(rates, {.peers = peers, .seed = seed});
    std::erase_if(plan.faults, [](const Fault& fault) {
      return fault.kind != Fault::Kind::kill || fault.peer->value >= 50;
    });
    return plan.faults;
  };
  EXPECT_EQ(killed(50, 7, "kill:0.3"), killed(50, 7, "kill:0.3"));
  EXPECT_EQ(killed(50, 7, "kill:0.3"), killed(100, 7, "kill:0.3")) << "more peers";
  EXPECT_EQ(killed(50, 7, "kill:0.3"), killed(50, 7, "slow:0.5x2,kill:0.3")) << "other faults";
  EXPECT_NE(killed(50, 7, "kill:0.3"), killed(50, 8, "kill:0.3"));
  EXPECT_THAT(plan_faults("", {.peers = 50, .seed = 7}).faults, IsEmpty());
  EXPECT_THAT(plan_faults("kill:0", {.peers = 50, .seed = 7}).faults, IsEmpty());
}

TEST(Rates, AreSpreadOverTheLengthOfTheRun) {
  const auto starts = [](const char* rates, Duration run_length) {
    std::vector<Fault> faults =
        plan_faults(rates, {.peers = 100, .seed = 7, .run_length = run_length}).faults;
    std::vector<double> all;
    for (const Fault& fault : faults) {
      all.push_back(seconds(fault.from));
    }
    return all;
  };
  const auto of_two = starts("kill:0.3", 2s);
  const auto of_six = starts("kill:0.3", 6s);
  ASSERT_EQ(of_two.size(), of_six.size()) << "whom it hits does not depend on the length";
  for (std::size_t k = 0; k < of_two.size(); ++k) {
    EXPECT_LT(of_two[k], 2.0);
    EXPECT_NEAR(of_six[k], 3.0 * of_two[k], 1e-8) << "nor does the part of the run";
  }
  EXPECT_EQ(starts("kill:0.3,window:2s", 6s), of_two) << "what is said goes before";
  EXPECT_EQ(starts("kill:0.3", Duration{}), starts("kill:0.3", 10s)) << "unknown";
}

TEST(Account, TellsWhatHappenedOfWhatWasPlanned) {
  const FaultPlan plan = plan_faults("kill:1,pause:1:5s,delay:1:1s", {.peers = 2, .seed = 7});
  EXPECT_EQ(account(plan, {true, false, true, true, false}, Time{2500ms}),
            "faults: 3 of 4 happened before the run ended at 2.5 s (kill 1 of 2, pause 2 of 2)");
  EXPECT_EQ(account(plan_faults("kill:0", {.peers = 2, .seed = 7}), {}, Time{2s}),
            "faults: none was drawn with this seed");
  EXPECT_EQ(account(plan_faults("delay:1:1s", {.peers = 2, .seed = 7}), {false}, Time{2s}), "");
}

TEST(Rates, RefusalsNameTheForm) {
  EXPECT_THAT(refusal_of_rates("kil:0.1"), HasSubstr("did you mean 'kill'?"));
  EXPECT_THAT(refusal_of_rates("kill"), HasSubstr("expected kill:SHARE"));
  EXPECT_THAT(refusal_of_rates("kill:2"), HasSubstr("found 'kill:2'"));
  EXPECT_THAT(refusal_of_rates("kill:0.1:0s"), HasSubstr("kill:SHARE:TIME"));
  EXPECT_THAT(refusal_of_rates("pause:0.1"), HasSubstr("expected pause:SHARE:TIME"));
  EXPECT_THAT(refusal_of_rates("slow:0.1"), HasSubstr("expected slow:SHARExFACTOR"));
  EXPECT_THAT(refusal_of_rates("slow:0.1x0"), HasSubstr("expected slow:SHARExFACTOR"));
  EXPECT_THAT(refusal_of_rates("delay:0.1:100ms:3"), HasSubstr("expected delay:SHARE:TIME"));
  EXPECT_THAT(refusal_of_rates("window:x"), HasSubstr("window:TIME"));
  EXPECT_THAT(refusal_of_rates("delay:0.1:1s,slow:0.1x2,window:3s"),
              HasSubstr("window has no effect"));
  EXPECT_THAT(refusal_of_rates("kill:0.1,"), HasSubstr("unknown fault ''"));
  EXPECT_THAT(refusal_of_rates("nothing.toml"), HasSubstr("No such file"));
  EXPECT_THAT(refusal_of_rates(std::string(5000, 'x')), HasSubstr("unknown fault"));
}

TEST(FaultRates, AreGivenOnceEach) {
  EXPECT_THAT(refusal_of_rates("kill:0.1,window:1s,window:1s"),
              HasSubstr("'window' is given twice"));
  EXPECT_THAT(refusal_of_rates("kill:0.1,delay:0.1:1s,kill:0.2:1s"),
              HasSubstr("'kill' is given twice"));
}

TEST(FaultRates, AFileThatNeverEndsIsNotWaitedFor) {
  const testing::TempDirectory folder;
  const std::string pipe = (folder / "pipe.toml").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of_rates(pipe), HasSubstr("expected a regular file"));
  std::filesystem::create_symlink("/dev/zero", folder / "zero.toml");
  EXPECT_THAT(refusal_of_rates((folder / "zero.toml").string()),
              HasSubstr("expected a regular file"));
  const auto large = folder / "large.toml";
  std::ofstream(large) << "x";
  std::filesystem::resize_file(large, std::uintmax_t{1} << 30U);  // sparse
  EXPECT_THAT(refusal_of_rates(large.string()), HasSubstr("at most 16 MiB"));
}

TEST_F(FaultsFile, ReadsEveryKind) {
  const FaultPlan plan = read(R"(
    rates = "slow:1x2"
    [[fault]]
    kind = "kill"
    peer = 3
    from = 1.5
    until = "4s"
    [[fault]]
    kind = "link-down"
    peer = 1
    other = 5
    until = 2
    [[fault]]
    kind = "delay"
    by = "100ms"
    probability = 0.5
    [[fault]]
    kind = "pause"
    peer = 4
    from = "500ms"
    until = 31.0
    [[fault]]
    kind = "slow"
    peer = 0
    factor = 4
  )");
  ASSERT_EQ(plan.faults.size(), 8U + 5U);
  const Fault kill{.kind = Fault::Kind::kill,
                   .peer = PeerId{3},
                   .other = {},
                   .from = Time{1500ms},
                   .until = Time{4s}};
  EXPECT_EQ(plan.faults[8], kill);
  const Fault link{.kind = Fault::Kind::link_down,
                   .peer = PeerId{1},
                   .other = PeerId{5},
                   .from = Time{},
                   .until = Time{2s}};
  EXPECT_EQ(plan.faults[9], link);
  EXPECT_EQ(plan.faults[10].by, 100ms);
  EXPECT_EQ(plan.faults[10].probability, 0.5);
  EXPECT_EQ(plan.faults[11].from, Time{500ms});
  EXPECT_EQ(plan.faults[11].until, Time{31s});
  EXPECT_EQ(plan.faults[12].factor, 4.0);
  EXPECT_EQ(plan.faults[12].until, Time::max());
}

/// The first block of TOML on a page.
std::string example_of(const std::string& page) {
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string opening = "```toml\n";
  const std::size_t begin = text.find(opening) + opening.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST_F(FaultsFile, TheExampleOfThePageMeansWhatThePageSays) {
  const FaultPlan plan = read(example_of(STARLING_SOURCE_DIR "/docs/simulation.md"));
  EXPECT_EQ(plan.faults.size(),
            plan_faults("slow:0.05x4", {.peers = 8, .seed = 7}).faults.size() + 3);
  ASSERT_GE(plan.faults.size(), 3U);
  const std::vector<Fault> written(plan.faults.end() - 3, plan.faults.end());
  EXPECT_EQ(written[0],
            (Fault{.kind = Fault::Kind::kill,
                   .peer = PeerId{3},
                   .other = {},
                   .from = Time{1500ms},
                   .until = Time{4s}}));
  EXPECT_EQ(written[1],
            (Fault{.kind = Fault::Kind::link_down,
                   .peer = PeerId{1},
                   .other = PeerId{5},
                   .from = Time{2s},
                   .until = Time{3s}}));
  EXPECT_EQ(
      written[2],
      (Fault{
          .kind = Fault::Kind::delay, .peer = {}, .other = {}, .by = 100ms, .probability = 0.02}));
}

TEST_F(FaultsFile, EveryKindNeedsItsKeysAndTakesNoneButThoseOfThePage) {
  struct Keys {
    std::string kind;
    std::vector<std::string> needed;
    std::vector<std::string> optional;
  };

  const std::map<std::string, std::string> lines{{"peer", "peer = 1\n"},
                                                 {"other", "other = 2\n"},
                                                 {"from", "from = 1\n"},
                                                 {"until", "until = 2\n"},
                                                 {"by", "by = 1\n"},
                                                 {"factor", "factor = 2\n"},
                                                 {"probability", "probability = 0.5\n"}};
  for (const Keys& keys :
       {Keys{"kill", {"peer", "from"}, {"until"}},
        Keys{"pause", {"peer", "until"}, {"from"}},
        Keys{"slow", {"peer", "factor"}, {"from", "until"}},
        Keys{"link-down", {"peer"}, {"other", "from", "until"}},
        Keys{"delay", {"by"}, {"peer", "other", "from", "until", "probability"}}}) {
    const std::string head = "[[fault]]\nkind = \"" + keys.kind + "\"\n";
    std::string least = head;
    for (const std::string& key : keys.needed) {
      least += lines.at(key);
    }
    EXPECT_EQ(refusal(least), "accepted") << keys.kind;
    std::string most = least;
    for (const std::string& key : keys.optional) {
      most += lines.at(key);
    }
    EXPECT_EQ(refusal(most), "accepted") << keys.kind;
    for (const std::string& left_out : keys.needed) {
      std::string text = head;
      for (const std::string& key : keys.needed) {
        text += key == left_out ? "" : lines.at(key);
      }
      EXPECT_THAT(refusal(text), HasSubstr("a '" + keys.kind + "' needs '" + left_out + "'"));
    }
    for (const auto& [key, line] : lines) {
      if (most.find("\n" + line) == std::string::npos) {
        EXPECT_THAT(refusal(most + line), HasSubstr("unknown key '" + key + "'")) << keys.kind;
      }
    }
  }
}

TEST_F(FaultsFile, RefusalsNameFileLineAndKey) {
  EXPECT_THAT(refusal("[[fault]]\nkind = \"kil\"\n"),
              AllOf(HasSubstr(path_), HasSubstr("line 2"), HasSubstr("did you mean 'kill'?")));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"kill\"\npeer = 1\nfrom = 1\nuntl = 3\n"),
              AllOf(HasSubstr("line 5"), HasSubstr("did you mean 'until'?")));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"kill\"\nfrom = 1\n"), HasSubstr("needs 'peer'"));
  EXPECT_THAT(refusal("[[fault]]\npeer = 1\n"), HasSubstr("needs a 'kind'"));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"kill\"\npeer = 8\nfrom = 1\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("a peer, 0 to 7")));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"kill\"\npeer = 1\nfrom = \"soon\"\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("'from' must be seconds")));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"pause\"\npeer = 1\nfrom = 3\nuntil = 3\n"),
              HasSubstr("end after it begins"));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"slow\"\npeer = 1\nfactor = 0\n"),
              HasSubstr("'factor' must be a number"));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"link-down\"\npeer = 1\nother = 1\n"),
              HasSubstr("must differ"));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"delay\"\nother = 1\nby = 1\n"),
              HasSubstr("'other' needs 'peer'"));
  EXPECT_THAT(refusal("[[fault]]\nkind = \"slow\"\npeer = 1\nfactor = 2\nby = 1\n"),
              AllOf(HasSubstr("line 5"), HasSubstr("unknown key 'by'")));
}

TEST_F(FaultsFile, WhatIsNotTomlIsRefused) {
  EXPECT_THAT(refusal("[[fault\n"), AllOf(HasSubstr(path_), HasSubstr("line 1")));
  EXPECT_THAT(refusal("faults = 3\n"), HasSubstr("did you mean 'fault'?"));
  EXPECT_THAT(refusal("fault = 3\n"), HasSubstr("[[fault]]"));
  EXPECT_THAT(refusal("fault = [3]\n"), HasSubstr("[[fault]]"));
  EXPECT_THAT(refusal("rates = 3\n"), HasSubstr("'rates' must be a text"));
  EXPECT_THAT(refusal("\nrates = \"kil:1\"\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("did you mean 'kill'?")));
}

TEST_F(FaultsFile, AnEmptyFileIsNoFault) {
  EXPECT_THAT(read("").faults, IsEmpty());
}

}  // namespace

}  // namespace starling::simulation
