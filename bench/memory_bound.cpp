// Times the least work of an all-reduce in one memory: memory_bound PEERS BYTES. Every one of PEERS
// threads adds (n-1)/n of the bytes to what it has and copies as many; nobody waits for anybody
// else. One row for compare_open_mpi.sh.
#include <barrier>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "starling/core/text.hpp"

#include "bench/all_reduce_row.hpp"

using namespace starling;

namespace {

using Clock = std::chrono::steady_clock;

/// Memory of one thread, all of it written to beforehand.
struct Vectors {
  std::vector<float> mine;
  std::vector<float> others;
  std::vector<float> sums;
  std::vector<float> result;

  explicit Vectors(std::size_t elements)
      : mine(elements, 1.0F), others(elements, 1.0F), sums(elements, 1.0F), result(elements) {}

  void work() {
    for (std::size_t k = 0; k < mine.size(); ++k) {
      mine[k] += others[k];
    }
    std::memcpy(result.data(), sums.data(), sums.size() * sizeof(float));
  }
};

std::vector<double> seconds_per_call(std::size_t peers, std::size_t bytes) {
  const std::size_t calls = bench::calls_for(bytes);
  const std::size_t elements = bytes / sizeof(float) * (peers - 1) / peers;
  std::vector<double> times;
  std::barrier meet(static_cast<std::ptrdiff_t>(peers));
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < peers; ++rank) {
    threads.emplace_back([&, rank] {
      Vectors vectors(elements);
      vectors.work();
      for (int batch = 0; batch < bench::kBatches; ++batch) {
        meet.arrive_and_wait();
        const auto start = Clock::now();
        for (std::size_t k = 0; k < calls; ++k) {
          vectors.work();
        }
        meet.arrive_and_wait();
        if (rank == 0) {
          const std::chrono::duration<double> took = Clock::now() - start;
          times.push_back(took.count() / static_cast<double>(calls));
        }
      }
    });
  }
  threads.clear();
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const auto peers = argc > 2 ? parse_size(argv[1]) : std::nullopt;
  const auto bytes = argc > 2 ? parse_size(argv[2]) : std::nullopt;
  if (!peers || !bytes || *peers < 2 || *bytes < sizeof(float) * *peers) {
    std::fprintf(stderr, "usage: memory_bound PEERS BYTES, with at least two peers\n");
    return 2;
  }
  bench::print_row(seconds_per_call(*peers, *bytes));
  return 0;
}
