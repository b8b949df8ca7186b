// The small words: ensure, Result, Failure, Range, FunctionRef, time, digests.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/core/exit_code.hpp"
#include "starling/core/function_ref.hpp"
#include "starling/core/policy.hpp"
#include "starling/core/range.hpp"
#include "starling/core/result.hpp"
#include "starling/core/sha256.hpp"
#include "starling/core/time.hpp"

namespace starling {

namespace {

using ::testing::HasSubstr;

TEST(Ensure, NamesClaimValuesAndPlace) {
  EXPECT_NO_THROW(ensure(true, "fine", 1));
  try {
    ensure(false, "sizes differ", 3, "four");
    FAIL() << "a broken contract throws";
  } catch (const ContractError& error) {
    EXPECT_THAT(error.what(), HasSubstr("sizes differ [3, four]"));
    EXPECT_THAT(error.what(), HasSubstr("vocabulary_test.cpp:"));
  }
}

TEST(ExitCodes, OnlyThoseThatExistAreTakenFromElsewhere) {
  EXPECT_EQ(exit_code_from(5), ExitCode::peers_lost);
  EXPECT_EQ(exit_code_from(130), ExitCode::interrupted);
  EXPECT_EQ(exit_code_from(8), std::nullopt);
  EXPECT_EQ(exit_code_from(std::uint64_t{1} << 32U), std::nullopt) << "not cut to 0";
}

TEST(Policy, AdviceNamesOnlyWhatIsNotSetYet) {
  EXPECT_THAT(advice(NotFinite::stop), HasSubstr("--not-finite skip-peer"));
  EXPECT_THAT(advice(NotFinite::skip_round), HasSubstr("--not-finite skip-peer"));
  EXPECT_EQ(advice(NotFinite::skip_peer), "lower the learning rate");
  EXPECT_STREQ(to_string(NotFinite::skip_round), "skip-round");
  EXPECT_STREQ(to_string(OnLoss::continue_), "continue");
}

Failure sample_failure() {
  Failure failure;
  failure.kind = FailureKind::deadline;
  failure.peer = {3};
  failure.what = "no message of mixing/0";
  failure.waited = std::chrono::milliseconds(1500);
  return failure;
}

TEST(Failure, SaysWhoWhatAndHowLong) {
  Failure failure = sample_failure();
  EXPECT_EQ(failure.message(), "peer 3 deadline: no message of mixing/0 after 1.5 s");
  failure.bytes_done = 7;
  EXPECT_THAT(failure.message(), HasSubstr("7 bytes had arrived"));
}

TEST(Failure, PutsTheRootCauseFirst) {
  Failure failure = sample_failure();
  failure.culprit = {5};
  failure.root_cause = "disk full";
  EXPECT_EQ(failure.message(), "disk full (peer 5)");
  failure.root_cause = "peer 5: disk full";
  EXPECT_EQ(failure.message(), "peer 5: disk full") << "not named twice";
}

TEST(Failure, TakesTenForAnotherPeerThanOne) {
  Failure failure = sample_failure();
  failure.culprit = {1};
  failure.root_cause = "peer 10 saw: silence";
  EXPECT_THAT(failure.message(), HasSubstr("(peer 1)"));
}

TEST(Result, HoldsAValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(4));
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 4);
  EXPECT_THROW((void)result.error(), ContractError);
  EXPECT_EQ(*std::move(result).or_throw(), 4);
}

TEST(Result, HoldsAFailure) {
  Result<int> result(sample_failure());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().peer, PeerId{3});
  EXPECT_THROW((void)result.value(), ContractError);
  try {
    (void)std::move(result).or_throw();
    FAIL() << "a failure throws";
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.failure().peer, PeerId{3});
    EXPECT_EQ(lost.code(), ExitCode::peers_lost);
    EXPECT_EQ(lost.what(), sample_failure().message());
  }
}

TEST(Result, OfNothingIsSuccessOrFailure) {
  Result<void> fine;
  EXPECT_TRUE(fine);
  EXPECT_NO_THROW(std::move(fine).or_throw());
  Result<void> failed(sample_failure());
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, FailureKind::deadline);
  EXPECT_THROW(std::move(failed).or_throw(), PeerLost);
}

TEST(Error, SaysItsWordsOrThatItHasNone) {
  EXPECT_EQ(words_of(nullptr), "");
  EXPECT_EQ(words_of(std::make_exception_ptr(ConfigError("no such model"))), "no such model");
  EXPECT_EQ(words_of(std::make_exception_ptr(42)), "an exception of unknown type");
}

TEST(Range, ChunksCoverInOrderAndDifferByOne) {
  for (const std::size_t elements : {0U, 1U, 6U, 7U, 8U, 1000003U}) {
    for (const std::size_t parts : {1U, 2U, 7U, 33U}) {
      std::size_t end = 0;
      for (std::size_t index = 0; index < parts; ++index) {
        const Range range = chunk(elements, parts, index);
        ASSERT_EQ(range.begin, end);
        ASSERT_GE(range.size(), elements / parts);
        ASSERT_LE(range.size(), elements / parts + (elements % parts == 0 ? 0 : 1));
        end = range.end;
      }
      ASSERT_EQ(end, elements);
    }
  }
}

TEST(Range, DoesNotOverflowOnHugeVectors) {
  constexpr std::size_t kHuge = ~std::size_t{0} - 5;
  EXPECT_EQ(chunk(kHuge, 1000, 999).end, kHuge);
}

TEST(Range, SelectsAPart) {
  std::vector<int> values = {0, 1, 2, 3, 4};
  const auto middle = part(std::span(values), {1, 3});
  EXPECT_EQ(std::vector<int>(middle.begin(), middle.end()), (std::vector<int>{1, 2}));
}

int call(FunctionRef<int(int)> function) {
  return function(3);
}

TEST(FunctionRef, CallsLambdasAndFunctionObjectsByReference) {
  int calls = 0;
  const auto counting = [&calls](int value) {
    ++calls;
    return value + 1;
  };
  EXPECT_EQ(call(counting), 4);

  struct Doubler {
    int seen = 0;

    int operator()(int value) { return seen = 2 * value; }
  } doubler;

  EXPECT_EQ(call(doubler), 6);
  EXPECT_EQ(doubler.seen, 6) << "not a copy";
  EXPECT_EQ(calls, 1);
}

TEST(Time, SecondsRoundToTheNearestNanosecond) {
  EXPECT_EQ(from_seconds(1e-9), Duration(1));
  EXPECT_EQ(from_seconds(0.1), std::chrono::milliseconds(100));
  EXPECT_EQ(from_seconds(-0.5e-9), Duration(-1));
  EXPECT_EQ(from_seconds(2.4e-10), Duration(0));
  EXPECT_EQ(seconds(std::chrono::milliseconds(250)), 0.25);
}

// FIPS 180-2, appendix B.1 and B.2, and the empty message.
TEST(Sha256, GivesThePublishedDigests) {
  const auto hex = [](std::string_view text) {
    return to_hex(sha256(std::as_bytes(std::span(text))));
  };
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, PiecesMakeTheSameDigest) {
  const std::string text(1000, 'x');
  Sha256 pieces;
  for (std::size_t at = 0; at < text.size(); at += 37) {
    pieces.update(std::as_bytes(std::span(text).subspan(at, std::min<std::size_t>(37, 1000 - at))));
  }
  EXPECT_EQ(pieces.finish(), sha256(std::as_bytes(std::span(text))));
}

}  // namespace

}  // namespace starling
