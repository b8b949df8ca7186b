// All-reduce between threads, by algorithm, size and number of peers, beside the cost model's
// prediction.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/collective.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace {

using namespace std::chrono_literals;
using namespace starling;
using namespace starling::collective;

/// Calls per measurement: enough to outlast the clock's grain, few enough for the largest sizes.
std::uint64_t calls_for(std::size_t bytes) {
  constexpr std::size_t kBytesPerMeasurement = std::size_t{64} << 20U;
  return std::clamp<std::size_t>(kBytesPerMeasurement / bytes, 4, 200);
}

void all_reduce_of(benchmark::State& state, const std::string& algorithm) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto peers = static_cast<std::size_t>(state.range(1));
  const std::size_t elements = bytes / sizeof(float);
  const std::uint64_t calls = calls_for(bytes);
  ThreadWorld world({.peers = peers});
  std::vector<std::vector<float>> inputs(peers, std::vector<float>(elements, 1.0F));
  std::vector<std::vector<float>> outputs(peers, std::vector<float>(elements));
  double total = 0.0;
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(calls))) {
    double elapsed = 0.0;
    world.run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      Collective collective(group);
      const std::size_t rank = group.rank();
      Time start{};
      for (std::uint64_t call = 0; call <= calls; ++call) {
        if (call == 1) {
          start = peer.clock().now();
        }  // the first one warms up
        collective.all_reduce(
            inputs[rank], outputs[rank], Reduction::sum, {algorithm, peer.clock().in(60s), call});
      }
      if (rank == 0) {
        elapsed = seconds(peer.clock().now() - start);
      }
    });
    state.SetIterationTime(elapsed);
    total += elapsed;
  }
  const double mean = total / static_cast<double>(state.iterations());
  const auto share = 2.0 * static_cast<double>(peers - 1) / static_cast<double>(peers);
  state.counters["bus_GB/s"] = share * static_cast<double>(bytes) / mean * 1e-9;
  const Choice choice = find_algorithm(algorithm, Operation::all_reduce);
  Request request{.peers = peers, .elements = elements};
  choice.fill_in(request, sizeof(float));
  state.counters["predicted_us"] =
      1e6 * predict(schedules_of(*choice.entry, request), elements, sizeof(float), LinkModel{});
}

bool exists_for(const std::string& algorithm, std::size_t peers) {
  const Choice choice = find_algorithm(algorithm, Operation::all_reduce);
  Request request{.peers = peers};
  choice.fill_in(request, sizeof(float));
  return !choice.entry->why_not(request);
}

void register_all() {
  for (const std::string& algorithm : names_for(Operation::all_reduce)) {
    auto* const cases = benchmark::RegisterBenchmark(
        ("BM_all_reduce/" + algorithm).c_str(),
        [algorithm](benchmark::State& state) { all_reduce_of(state, algorithm); });
    cases->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (const std::int64_t bytes : {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26}) {
      for (const std::int64_t peers : {2, 3, 4, 8}) {
        if (exists_for(algorithm, static_cast<std::size_t>(peers))) {
          cases->Args({bytes, peers});
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
