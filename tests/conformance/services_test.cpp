// What a peer has beside its channel: clock, chance, meter, directory, compute.
#include <chrono>
#include <set>
#include <stdexcept>

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class Services : public OnWorlds {};

STARLING_ON_WORLDS(Services, 1, 2, 5);

TEST_P(Services, ClockIsMonotonicAndSleeps) {
  const RunReport report = run([](Peer& peer) {
    const Time start = peer.clock().now();
    EXPECT_GE(start, Time{});
    peer.clock().sleep_for(10ms);
    const Time after = peer.clock().now();
    EXPECT_GE(after - start, 10ms);
    peer.clock().sleep_for(Duration{});
    peer.clock().sleep_for(-1s);
    EXPECT_GE(peer.clock().now(), after);
    EXPECT_LT(peer.clock().now() - after, 20s);
  });
  EXPECT_GE(report.elapsed, 10ms);
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_GE(outcome.ended, Time{} + 10ms);
    EXPECT_LE(outcome.ended.time_since_epoch(), report.elapsed);
  }
}

std::vector<std::uint64_t> draws(Random& random) {
  std::vector<std::uint64_t> values(4);
  for (std::uint64_t& value : values) {
    value = random.next_u64();
  }
  return values;
}

TEST_P(Services, ChanceRepeatsWithTheSeedAndDiffersByPeerAndName) {
  const auto collect = [](std::uint64_t seed) {
    std::vector<std::vector<std::uint64_t>> all(2 * peers());
    run(
        [&](Peer& peer) {
          all[2 * peer.id().value] = draws(peer.random("batches"));
          all[2 * peer.id().value + 1] = draws(peer.random("partner"));
        },
        {.seed = seed});
    return all;
  };
  const auto first = collect(7);
  EXPECT_EQ(first, collect(7));
  const auto other = collect(8);
  std::set<std::vector<std::uint64_t>> distinct(first.begin(), first.end());
  distinct.insert(other.begin(), other.end());
  EXPECT_EQ(distinct.size(), 4 * peers());
}

TEST_P(Services, ChanceContinuesFromItsState) {
  run([](Peer& peer) {
    peer.random("a").next_u32();
    const auto states = peer.random_states();
    const std::uint32_t expected = peer.random("a").next_u32();
    EXPECT_EQ(states.size(), 1U);
    peer.restore_random(states);
    EXPECT_EQ(peer.random("a").next_u32(), expected);
  });
}

TEST_P(Services, ComputeRunsTheWorkAndIsMetered) {
  const RunReport report = run([](Peer& peer) {
    int runs = 0;
    peer.compute(20ms, [&] {
      ++runs;
      const auto end = std::chrono::steady_clock::now() + 20ms;
      while (std::chrono::steady_clock::now() < end) {
      }
    });
    EXPECT_EQ(runs, 1);
    EXPECT_GT(peer.meter().computing, Duration{});
    EXPECT_THROW(peer.compute(1ms, [] { throw std::logic_error("work"); }), std::logic_error);
  });
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_GT(outcome.meter.computing, 1ms);
    EXPECT_EQ(outcome.meter.messages_sent, 0U);
  }
}

TEST_P(Services, DirectoryKeepsTheLaterExpiry) {
  run([](Peer& peer) {
    Directory& directory = peer.directory();
    const std::string key = "models/" + std::to_string(peer.id().value);
    const Time now = peer.clock().now();
    EXPECT_TRUE(directory.put(key, {"a", "first", now + 20s}, soon(peer)).or_throw());
    EXPECT_FALSE(directory.put(key, {"a", "older", now + 10s}, soon(peer)).or_throw());
    EXPECT_TRUE(directory.put(key, {"b", "other", now + 10s}, soon(peer)).or_throw());
    EXPECT_TRUE(directory.put(key, {"a", "newer", now + 30s}, soon(peer)).or_throw());
    const std::vector<Record> expected = {{"a", "newer", now + 30s}, {"b", "other", now + 10s}};
    EXPECT_EQ(directory.get(key, soon(peer)).or_throw(), expected);
    EXPECT_TRUE(directory.get("models", soon(peer)).or_throw().empty());
    const std::string large(kRecordBytesMax + 1, 'x');
    EXPECT_THROW((void)directory.put(key, {"c", large, now + 10s}, soon(peer)), ContractError);
  });
}

TEST_P(Services, DirectoryForgetsWhatExpired) {
  run([](Peer& peer) {
    Directory& directory = peer.directory();
    const std::string key = std::to_string(peer.id().value);
    (void)directory.put(key, {"short", "", peer.clock().now() + 15ms}, soon(peer));
    (void)directory.put(key, {"long", "", peer.clock().now() + 60s}, soon(peer));
    peer.clock().sleep_for(20ms);
    const auto records = directory.get(key, soon(peer)).or_throw();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].subkey, "long");
    EXPECT_FALSE(directory.put(key, {"dead", "", peer.clock().now()}, soon(peer)).or_throw());
  });
}

class Exchange : public OnWorlds {};

STARLING_ON_WORLDS(Exchange, 2, 4);

TEST_P(Exchange, DirectoryIsSharedByAll) {
  run([](Peer& peer) {
    const std::string name = std::to_string(peer.id().value);
    (void)peer.directory().put("peers", {name, "here", peer.clock().now() + 60s}, soon(peer));
    peer.send(next_of(peer), kTag, {}, {}, soon(peer)).or_throw();
    peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
    const auto records = peer.directory().get("peers", soon(peer)).or_throw();
    const auto previous = std::to_string(previous_of(peer).value);
    EXPECT_TRUE(std::any_of(records.begin(), records.end(), [&](const Record& record) {
      return record.subkey == previous && record.value == "here";
    }));
  });
}

TEST_P(Exchange, MeterCountsExactly) {
  const RunReport report = run([](Peer& peer) {
    const std::vector<float> own(25, 1.0F);
    std::vector<float> found(25);
    for (int k = 0; k < 10; ++k) {
      peer.send(next_of(peer), kTag, {}, Buffer(7), soon(peer)).or_throw();
      Pending lent = peer.post(next_of(peer), kOtherTag, {}, bytes_of(own));
      peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
      peer.receive_into(previous_of(peer), kOtherTag, {{}, 100}, found, soon(peer)).or_throw();
      lent.wait(soon(peer)).or_throw();
    }
  });
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_EQ(outcome.meter.messages_sent, 20U);
    EXPECT_EQ(outcome.meter.payload_bytes_sent, 10U * (7 + 100));
    EXPECT_EQ(outcome.meter.messages_received, 20U);
    EXPECT_EQ(outcome.meter.payload_bytes_received, 10U * (7 + 100));
    EXPECT_EQ(outcome.meter.overhead_bytes_sent(), 20U * kMessageOverheadBytes);
  }
}

TEST_P(Exchange, MeterCountsWaiting) {
  const RunReport report = run([](Peer& peer) {
    if (peer.id().value > 1) {
      return;
    }
    if (peer.id() == PeerId{0}) {
      peer.send({1}, kTag, {}, {}, soon(peer)).or_throw();
      peer.receive(PeerId{1}, kTag, soon(peer)).or_throw();
      return;
    }
    peer.receive(PeerId{0}, kTag, soon(peer)).or_throw();
    peer.clock().sleep_for(30ms);
    peer.send({0}, kTag, {}, {}, soon(peer)).or_throw();
  });
  EXPECT_GE(report.peers[0].meter.waiting, 30ms);
  EXPECT_EQ(report.peers[0].meter.computing, Duration{});
}

}  // namespace

}  // namespace starling::testing
