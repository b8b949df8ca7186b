// Four peers in one process agree on the mean of their vectors, exactly and then by gossip.
#include <iostream>
#include <vector>

#include "starling/collective/collective.hpp"
#include "starling/mixing/doubly_stochastic.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/transport/threads/thread_world.hpp"

int main() {
  using namespace starling;
  constexpr std::size_t kPeers = 4;
  const auto ring = topology::make_topology({.name = "ring", .peers = kPeers});

  ThreadWorld world({.peers = kPeers});
  const RunReport report = world.run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const Deadline deadline = peer.clock().in(std::chrono::seconds(10));
    std::vector<float> exact(3, static_cast<float>(group.rank()));
    std::vector<float> gossiped = exact;

    collective::Collective(group).all_reduce(
        exact, collective::Reduction::mean, {.deadline = deadline});
    for (std::uint64_t round = 0; round < 8; ++round) {
      mixing::mix_with_neighbours(
          gossiped, ring->row(round, group.rank()), group, {.round = round, .deadline = deadline});
    }
    if (group.rank() == 0) {
      std::cout << "exact mean " << exact[0] << ", after 8 rounds of gossip on a ring "
                << gossiped[0] << "\n";
    }
  });
  report.or_throw();
}
