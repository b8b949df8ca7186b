// The thread transport alone: how long a message takes, and how fast a lent one is added.
#include <cstddef>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "starling/peer/peer.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace {

using namespace starling;
using namespace std::chrono_literals;

constexpr Tag kTag{Purpose::user, 0};
constexpr std::uint64_t kLast = 1;  // the round of the message that ends a run

Deadline soon(Peer& peer) {
  return peer.clock().in(60s);
}

/// Runs `timed` on peer 0 and `other` on peer 1 of a world of two; peer 0 keeps the time.
void on_two(benchmark::State& state,
            const std::function<void(Peer&)>& timed,
            const std::function<void(Peer&)>& other) {
  ThreadWorld world({.peers = 2});
  const RunReport report = world.run([&](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      timed(peer);
    } else {
      other(peer);
    }
  });
  if (!report.ok()) {
    state.SkipWithError("a peer failed");
  }
}

/// A buffer goes to the other peer and comes back: twice the time of one hop.
void BM_ping_pong(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto ping = [&](Peer& peer) {
    Buffer ball(bytes);
    for (auto _ : state) {
      peer.send({1}, kTag, {}, std::move(ball), soon(peer)).or_throw();
      ball = std::move(peer.receive(PeerId{1}, kTag, soon(peer)).or_throw().payload);
    }
    peer.send({1}, kTag, {.round = kLast}, {}, soon(peer)).or_throw();
  };
  const auto pong = [](Peer& peer) {
    for (;;) {
      Message ball = peer.receive(PeerId{0}, kTag, soon(peer)).or_throw();
      if (ball.stamp.round == kLast) {
        return;
      }
      peer.send({0}, kTag, {}, std::move(ball.payload), soon(peer)).or_throw();
    }
  };
  on_two(state, ping, pong);
}

BENCHMARK(BM_ping_pong)->Arg(4)->Arg(1024)->Arg(64 * 1024)->UseRealTime();

/// One round of an exchange as collectives make it: each lends its half and adds the other's.
void BM_exchange_add(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto one_round = [bytes](
                             Peer& peer, PeerId other, std::span<float> own, std::span<float> sum) {
    Pending lent = peer.post(other, kTag, {}, std::as_bytes(own));
    peer.receive_add(other, kTag, {{}, bytes}, sum, soon(peer)).or_throw();
    lent.wait(soon(peer)).or_throw();
  };
  constexpr Tag kGoOn{Purpose::control, 0};
  const auto timed = [&](Peer& peer) {
    std::vector<float> own(bytes / sizeof(float), 1.0F);
    std::vector<float> sum(own.size());
    for (auto _ : state) {
      peer.send({1}, kGoOn, {}, {}, soon(peer)).or_throw();
      one_round(peer, {1}, own, sum);
    }
    peer.send({1}, kGoOn, {.round = kLast}, {}, soon(peer)).or_throw();
    benchmark::DoNotOptimize(sum.data());
  };
  const auto other = [&](Peer& peer) {
    std::vector<float> own(bytes / sizeof(float), 1.0F);
    std::vector<float> sum(own.size());
    while (peer.receive(PeerId{0}, kGoOn, soon(peer)).or_throw().stamp.round != kLast) {
      one_round(peer, {0}, own, sum);
    }
  };
  on_two(state, timed, other);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

BENCHMARK(BM_exchange_add)
    ->Arg(4)
    ->Arg(1024)
    ->Arg(64 * 1024)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->UseRealTime();

/// One way: peer 1 lends, peer 0 adds straight from its memory. Bytes per second of operand.
void BM_receive_add(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto reader = [&](Peer& peer) {
    std::vector<float> sum(bytes / sizeof(float));
    for (auto _ : state) {
      peer.receive_add({1}, kTag, {{}, bytes}, sum, soon(peer)).or_throw();
    }
    benchmark::DoNotOptimize(sum.data());
  };
  const auto lender = [&](Peer& peer) {
    const std::vector<float> own(bytes / sizeof(float), 1.0F);
    for (;;) {
      Pending lent = peer.post({0}, kTag, {}, std::as_bytes(std::span(own)));
      if (!lent.wait(soon(peer))) {
        return;
      }  // the reader has finished and left
    }
  };
  on_two(state, reader, lender);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

BENCHMARK(BM_receive_add)->Arg(4)->Arg(64 * 1024)->Arg(1 << 20)->Arg(16 << 20)->UseRealTime();

}  // namespace
