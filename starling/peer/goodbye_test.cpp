#include "starling/peer/goodbye.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/peer/world.hpp"

namespace starling {

namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::exception_ptr lost(PeerId peer, const std::string& root_cause, PeerId culprit) {
  Failure failure;
  failure.peer = peer;
  failure.what = "it ended early";
  failure.culprit = culprit;
  failure.root_cause = root_cause;
  failure.code = ExitCode::data;
  return std::make_exception_ptr(PeerLost(failure));
}

TEST(Goodbye, OfOneWhoFinishedBlamesNobody) {
  const Goodbye goodbye = goodbye_of({2}, nullptr);
  EXPECT_TRUE(goodbye.finished);
  const Failure failure = failure_from({2}, goodbye, 3s);
  EXPECT_EQ(failure.kind, FailureKind::lost);
  EXPECT_EQ(failure.peer, PeerId{2});
  EXPECT_EQ(failure.code, ExitCode::peers_lost);
  EXPECT_EQ(failure.message(), "peer 2 lost: it had finished and left after 3 s");
}

TEST(Goodbye, CarriesTheCulpritsWordsAndExitCode) {
  const Goodbye goodbye = goodbye_of({4}, std::make_exception_ptr(DataError("train.gz is cut")));
  EXPECT_FALSE(goodbye.finished);
  EXPECT_EQ(goodbye.culprit, PeerId{4});
  EXPECT_EQ(goodbye.code, ExitCode::data);
  EXPECT_EQ(failure_from({4}, goodbye, 1s).message(), "peer 4: train.gz is cut");
}

TEST(Goodbye, OtherExceptionsAreOurFault) {
  const auto code = [](const std::exception_ptr& error) { return goodbye_of({0}, error).code; };
  EXPECT_EQ(code(std::make_exception_ptr(std::logic_error("x"))), ExitCode::internal);
  EXPECT_EQ(code(std::make_exception_ptr(42)), ExitCode::internal);
  EXPECT_THAT(goodbye_of({0}, std::make_exception_ptr(42)).words, HasSubstr("unknown type"));
}

TEST(Goodbye, OfAVictimPassesTheFirstWordsOn) {
  Goodbye goodbye = goodbye_of({4}, std::make_exception_ptr(DataError("train.gz is cut")));
  for (std::uint64_t victim = 5; victim < 9;
       ++victim) {  // a chain of peers, each lost by the one before
    const Failure seen = failure_from({victim - 1}, goodbye, 1s);
    goodbye = goodbye_of({victim}, std::make_exception_ptr(PeerLost(seen)));
    EXPECT_EQ(goodbye.culprit, PeerId{4});
    EXPECT_EQ(goodbye.words, "peer 4: train.gz is cut");
    EXPECT_EQ(goodbye.code, ExitCode::data);
  }
}

TEST(Goodbye, OfOneWhoGaveUpTellsWhatItSaw) {
  Failure silence;
  silence.kind = FailureKind::deadline;
  silence.peer = {7};
  silence.culprit = {7};
  silence.what = "no message of mixing/0";
  silence.waited = 2s;
  const Goodbye goodbye = goodbye_of({1}, std::make_exception_ptr(PeerLost(silence)));
  EXPECT_EQ(goodbye.culprit, PeerId{7});
  EXPECT_EQ(goodbye.words, "peer 1 saw: peer 7 deadline: no message of mixing/0 after 2 s");
}

TEST(Goodbye, ConsequencesAreLossesWithARootCause) {
  EXPECT_FALSE(is_consequence(nullptr));
  EXPECT_FALSE(is_consequence(std::make_exception_ptr(DataError("x"))));
  EXPECT_FALSE(is_consequence(std::make_exception_ptr(42)));
  EXPECT_FALSE(is_consequence(lost({1}, "", {1})));
  EXPECT_TRUE(is_consequence(lost({1}, "peer 2: x", {2})));
}

/// The witness of peer 1 if the peers from rank 0 on said these goodbyes.
std::optional<PeerId> witness(const std::vector<std::optional<Goodbye>>& goodbyes) {
  const auto said = [&](PeerId peer) {
    const auto& goodbye = goodbyes[peer.value];
    return goodbye ? &*goodbye : nullptr;
  };
  return last_witness({1}, peers_by_rank(goodbyes.size()), said);
}

TEST(LastWitness, IsTheFirstThatFailedOnceAllOthersHaveLeft) {
  Goodbye finished;
  finished.finished = true;
  const Goodbye failed;
  EXPECT_EQ(witness({finished, {}, failed, {}}), std::nullopt) << "peer 3 may still send";
  EXPECT_EQ(witness({finished, {}, finished, finished}), PeerId{0});
  EXPECT_EQ(witness({finished, {}, failed, failed}), PeerId{2});
  EXPECT_EQ(witness({failed, {}, finished, failed}), PeerId{0});
}

TEST(LastWitness, OfOneAloneIsItself) {
  EXPECT_EQ(last_witness({0}, peers_by_rank(1), [](PeerId) { return nullptr; }), PeerId{0});
  EXPECT_EQ(nobody_else({0}, 2s).message(),
            "peer 0 lost: there is no other peer to wait for after 2 s");
}

PeerOutcome ended(Duration after, std::exception_ptr error = nullptr) {
  PeerOutcome outcome;
  outcome.error = std::move(error);
  outcome.ended = Time{} + after;
  return outcome;
}

TEST(Culprit, IsTheFirstFailureThatIsNoConsequence) {
  const auto broken = std::make_exception_ptr(DataError("x"));
  const auto victim = lost({2}, "peer 2: x", {2});
  EXPECT_EQ(culprit_of({}), std::nullopt);
  EXPECT_EQ(culprit_of({ended(1s), ended(2s)}), std::nullopt);
  EXPECT_EQ(culprit_of({ended(1s, victim), ended(2s), ended(3s, broken)}), 2U);
  EXPECT_EQ(culprit_of({ended(4s, broken), ended(2s, victim), ended(3s, broken)}), 2U);
  EXPECT_EQ(culprit_of({ended(2s, broken), ended(2s, broken)}), 0U) << "ties go to the lower rank";
  EXPECT_EQ(culprit_of({ended(4s, victim), ended(2s, victim)}), 1U) << "somebody failed, after all";
}

TEST(RunReport, ThrowsTheCulpritsError) {
  RunReport report;
  report.peers = {ended(1s, lost({1}, "peer 1: x", {1})),
                  ended(2s, std::make_exception_ptr(DataError("x")))};
  EXPECT_NO_THROW(report.or_throw());
  EXPECT_TRUE(report.ok());
  report.culprit = culprit_of(report.peers);
  EXPECT_FALSE(report.ok());
  EXPECT_THROW(report.or_throw(), DataError);
}

}  // namespace

}  // namespace starling
