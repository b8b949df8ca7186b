#include "starling/cli/log.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace starling::cli {
namespace {

using namespace std::chrono_literals;

/// Takes what is written to standard error while it lives.
class Caught {
 public:
  Caught() : before_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    ::dup2(ends_[1], STDERR_FILENO);
  }

  ~Caught() {
    ::dup2(before_, STDERR_FILENO);
    for (const int descriptor : {before_, ends_[0], ends_[1]}) {
      ::close(descriptor);
    }
  }

  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  /// What has come since the last call.
  std::string text() {
    constexpr char kEnd = '\0';
    EXPECT_EQ(::write(ends_[1], &kEnd, 1), 1);
    std::string text;
    std::array<char, 4096> piece{};
    while (text.empty() || text.back() != kEnd) {
      const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
      text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    text.pop_back();
    return text;
  }

 private:
  std::array<int, 2> ends_{};
  int before_;
};

class LogLines : public ::testing::Test {
 protected:
  std::size_t lines(const ShowSettings& show, const std::vector<Event>& events) {
    Log log(console_, show, 4);
    for (const Event& event : events) {
      log.on_event(event);
    }
    const std::string text = caught_.text();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Caught caught_;
  Console console_;
};

Event from(std::uint64_t peer, Duration time, decltype(Event::what) what) {
  return {PeerId{peer}, Time(time), std::move(what)};
}

TEST_F(LogLines, OneSlowPeerIsNamedAtGrowingIntervals) {
  // Three peers wait for peer 3 and warn every 5 s; after the first warning the next come 5, 10,
  // 20,
  // ... s later: at 5, 10, 20, 40 and 80 s.
  std::vector<Event> warnings;
  for (int k = 1; k <= 20; ++k) {
    for (std::uint64_t peer = 0; peer < 3; ++peer) {
      warnings.push_back(from(peer, k * 5s, SlowPeer{PeerId{3}, 5s}));
    }
  }
  EXPECT_EQ(lines({}, warnings), 5U);
  EXPECT_EQ(lines({.verbose = true}, warnings), 60U);
  EXPECT_EQ(lines({.quiet = true}, warnings), 0U);
}

TEST_F(LogLines, EachSlowPeerHasAPaceOfItsOwn) {
  EXPECT_EQ(lines({},
                  {from(0, 5s, SlowPeer{PeerId{3}, 5s}),
                   from(1, 5s, SlowPeer{PeerId{2}, 5s}),
                   from(2, 5s, SlowPeer{PeerId{3}, 5s})}),
            2U);
}

TEST_F(LogLines, OneLostPeerIsNotNamedInEveryRound) {
  std::vector<Event> losses;
  for (std::uint64_t round = 0; round < 100; ++round) {
    losses.push_back(from(0, round * 10ms, PartnerLost{PeerId{1}, round, "gone"}));
    losses.push_back(from(2, round * 10ms, PartnerLost{PeerId{1}, round, "gone"}));
  }
  EXPECT_EQ(lines({}, losses), 1U);  // all within the first second
}

TEST_F(LogLines, WhatEndsTheRunIsToldAtItsEndAlone) {
  const std::vector<Event> end{
      from(2, 1s, ContributionRejected{PeerId{2}, 7, "weight", "stop"}),
      from(0, 1s, Stalled{"peer 0 waits for peer 1\npeer 1 waits for peer 0\n"}),
      from(0, 1s, PeerGone{PeerId{0}, "lost"}),
      from(1, 1s, PeerGone{PeerId{1}, "lost"})};
  EXPECT_EQ(lines({}, end), 0U);
  EXPECT_EQ(lines({.quiet = true}, end), 0U);
  EXPECT_GE(lines({.verbose = true}, end), 4U);
  EXPECT_EQ(lines({}, {from(2, 1s, ContributionRejected{PeerId{2}, 7, "weight", "skip-peer"})}),
            1U);
}

TEST_F(LogLines, WhatIsLeftOutIsCounted) {
  Log log(console_, {}, 4);
  for (int k = 0; k < 25; ++k) {
    log.on_event(from(0, 1s, Note{Severity::warning, "again"}));
  }
  log.on_event(from(0, 5s, SlowPeer{PeerId{3}, 5s}));
  log.on_event(from(1, 5s, SlowPeer{PeerId{3}, 5s}));
  log.report_left_out();
  const std::string text = caught_.text();
  EXPECT_NE(text.find("6 more lines like these were left out"), std::string::npos) << text;
}

}  // namespace
}  // namespace starling::cli
