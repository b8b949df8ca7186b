#include "starling/core/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {

namespace {

using ::testing::HasSubstr;

struct Line {
  decltype(Event::what) what;
  Severity severity;
  std::string words;
};

TEST(Event, EveryKindHasASeverityAndOneLine) {
  const std::vector<Line> lines = {
      {Note{Severity::warning, "a note"}, Severity::warning, "a note"},
      {PartnerLost{{4}, 9, "no answer"}, Severity::warning, "round 9: no model from peer 4"},
      {ContributionRejected{{5}, 7, "fc.bias", "skip-peer"},
       Severity::warning,
       "step 7: numbers of peer 5 are not finite in tensor fc.bias, policy skip-peer"},
      {SlowPeer{{11}, std::chrono::seconds(5)}, Severity::warning, "waiting for peer 11 since 5 s"},
      {PeerGone{{2}, "disk full"}, Severity::error, "peer 2 is gone: disk full"},
      {Stalled{"peer 0 waits for peer 1\n"}, Severity::error, "peer 0 waits for peer 1"},
      {StepDone{3, 0.5, 32, 0.1F}, Severity::debug, "step 3 done, loss 0.5"},
      {ModelSnapshot{8, {}}, Severity::debug, "model after step 8"},
      {CheckpointSaved{6, "runs/x"}, Severity::info, "checkpoint of step 6 saved in runs/x"}};
  EXPECT_EQ(lines.size(), std::variant_size_v<decltype(Event::what)>) << "a kind is not tested";
  for (const Line& line : lines) {
    const Event event{{0}, {}, line.what};
    EXPECT_EQ(severity_of(event), line.severity) << line.words;
    EXPECT_THAT(describe(event), HasSubstr(line.words));
  }
}

TEST(Event, UnknownTensorIsNotNamed) {
  const std::string line = describe({{0}, {}, ContributionRejected{{5}, 7, "", "stop"}});
  EXPECT_EQ(line.find("tensor"), std::string::npos);
}

}  // namespace

}  // namespace starling
