// Time and memory in which one rank of a large torus has its schedule. Limits: 50 ms and 50 MiB for
// 4,096 ranks.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "starling/collective/catalog.hpp"

namespace {

constexpr std::size_t kMostBytes = std::size_t{50} << 20U;

std::size_t allocated_bytes = 0;
std::size_t most_bytes = 0;

}  // namespace

// Every allocation of this program is counted; one thread makes them all. Not inlined, since g++
// takes a mixture of both kinds of functions for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  allocated_bytes += malloc_usable_size(memory);
  most_bytes = std::max(most_bytes, allocated_bytes);
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  allocated_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace {

using namespace starling::collective;

void schedule_of(benchmark::State& state, const std::string& algorithm, Operation operation) {
  const auto extent = static_cast<std::size_t>(state.range(0));
  Request request{.operation = operation,
                  .peers = extent * extent * extent,
                  .rank = extent,
                  .elements = 25'000'003};
  const Choice choice = find_algorithm(algorithm, operation);
  choice.fill_in(request, sizeof(float));
  request.dims = {extent, extent, extent};
  std::size_t peak = 0;
  for (auto step : state) {
    const std::size_t before = allocated_bytes;
    most_bytes = before;
    const Schedule schedule = make_schedule(*choice.entry, request);
    benchmark::DoNotOptimize(schedule.lanes.data());
    peak = std::max(peak, most_bytes - before);
  }
  if (peak > kMostBytes) {
    state.SkipWithError("a schedule takes more than 50 MiB");
  }
  state.counters["peak_MiB"] = static_cast<double>(peak) / (1024.0 * 1024.0);
}

void register_all() {
  for (const char* algorithm :
       {"bucket-torus", "multiported-torus", "multiported-torus:layout=split", "half-way-torus"}) {
    for (const Operation operation : {Operation::all_reduce, Operation::reduce_scatter}) {
      benchmark::RegisterBenchmark(
          ("BM_TorusSchedule/" + std::string(algorithm) + "/" + to_string(operation)).c_str(),
          schedule_of,
          std::string(algorithm),
          operation)
          ->ArgName("extent")
          ->Arg(4)
          ->Arg(16)
          ->Unit(benchmark::kMillisecond);
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
