// Times all-reduce between threads: thread_all_reduce PEERS BYTES [ALGORITHM]. One row for
// compare_open_mpi.sh.
#include "starling/collective/collective.hpp"
#include "starling/core/text.hpp"
#include "starling/transport/threads/thread_world.hpp"

#include "bench/all_reduce_row.hpp"

using namespace std::chrono_literals;
using namespace starling;

int main(int argc, char** argv) {
  const auto peers = argc > 2 ? parse_size(argv[1]) : std::nullopt;
  const auto bytes = argc > 2 ? parse_size(argv[2]) : std::nullopt;
  if (!peers || !bytes || *peers == 0 || *bytes < sizeof(float)) {
    std::fprintf(stderr, "usage: thread_all_reduce PEERS BYTES [ALGORITHM]\n");
    return 2;
  }
  const std::string algorithm = argc > 3 ? argv[3] : "auto";
  const std::size_t calls = bench::calls_for(*bytes);
  std::vector<double> seconds_per_call;
  ThreadWorld world({.peers = *peers});
  const RunReport report = world.run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    collective::Collective collective(group);
    std::vector<float> input(*bytes / sizeof(float), 1.0F);
    std::vector<float> output(input.size());
    std::uint64_t round = 0;
    const auto call = [&] {
      collective.all_reduce(
          input, output, collective::Reduction::sum, {algorithm, peer.clock().in(60s), ++round});
    };
    call();
    for (int batch = 0; batch < bench::kBatches; ++batch) {
      collective.barrier({"auto", peer.clock().in(60s), ++round});
      const Time start = peer.clock().now();
      for (std::size_t k = 0; k < calls; ++k) {
        call();
      }
      if (group.rank() == 0) {
        seconds_per_call.push_back(seconds(peer.clock().now() - start) /
                                   static_cast<double>(calls));
      }
    }
  });
  report.or_throw();
  bench::print_row(seconds_per_call);
  return 0;
}
