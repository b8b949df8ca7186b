// Building the schedule of one rank, for all algorithms and operations that exist for so many
// peers.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "starling/collective/catalog.hpp"

namespace {

using namespace starling;
using namespace starling::collective;

/// Memory of a schedule beyond its cut.
std::size_t bytes_of(const Schedule& schedule) {
  std::size_t bytes = 0;
  for (const Lane& lane : schedule.lanes) {
    bytes += lane.rounds() * sizeof(std::size_t) + lane.transfers().size_bytes();
    for (const Transfer& each : lane.transfers()) {
      bytes += each.runs * sizeof(Range);
    }
  }
  return bytes;
}

void build(benchmark::State& state, const std::string& text, Operation operation) {
  const Choice choice = find_algorithm(text, operation);
  Request request{.operation = operation,
                  .peers = static_cast<std::size_t>(state.range(0)),
                  .rank = 1,
                  .elements = std::size_t{1} << 22U};
  choice.fill_in(request, sizeof(float));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Schedule schedule = make_schedule(*choice.entry, request);
    bytes = bytes_of(schedule);
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["schedule_KiB"] = static_cast<double>(bytes) / 1024.0;
}

void register_all() {
  for (const CatalogEntry& algorithm : catalog()) {
    for (std::size_t k = 0; k < kOperations; ++k) {
      const auto operation = static_cast<Operation>(k);
      if (algorithm.build(operation) == nullptr) {
        continue;
      }
      const std::string name = "BM_schedule/" + algorithm.name + "/" + to_string(operation);
      auto* bench = benchmark::RegisterBenchmark(
          name.c_str(), [text = algorithm.name, operation](benchmark::State& state) {
            build(state, text, operation);
          });
      bench->Unit(benchmark::kMillisecond);
      for (const std::int64_t peers : {64, 81, 2187, 3584, 4095, 4096}) {
        Request request{.operation = operation, .peers = static_cast<std::size_t>(peers)};
        find_algorithm(algorithm.name, operation).fill_in(request, sizeof(float));
        if (!algorithm.why_not(request)) {
          bench->Arg(peers);
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
