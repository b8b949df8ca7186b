#include "tests/faults/averaging.hpp"

#include <sstream>
#include <vector>

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

/// Those outside of 0 .. 7.
std::string complaint_about_range(const RunReport& report, std::span<const float> values) {
  std::ostringstream text;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const bool between = values[rank] >= 0.0F && values[rank] <= float{kAveragers - 1};
    if (!report.peers[rank].error && !between) {
      text << "peer " << rank << " ends with " << values[rank] << "; ";
    }
  }
  return text.str();
}

}  // namespace

FaultTrial averaging_trial(const AveragingCase& averaging, OnLoss on_loss) {
  FaultTrial trial;
  trial.peers = kAveragers;
  trial.run = [averaging, on_loss](SimWorld& world, std::uint64_t seed) {
    std::vector<float> values(kAveragers);
    const RunReport report = world.run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      const std::span value(&values[group.rank()], 1);
      value[0] = static_cast<float>(group.rank());
      const Averaging average = averaging.make(group, seed);
      mixing::EarlyMessages early;
      for (std::uint64_t round = 0; round < averaging.rounds; ++round) {
        peer.compute(500ms, [] {});
        average(value,
                {.round = round,
                 .deadline = peer.clock().in(20s),
                 .on_loss = on_loss,
                 .early = &early});
      }
    });
    std::string complaint = complaint_about(report) + complaint_about_range(report, values);
    if (on_loss == OnLoss::stop && report.ok()) {
      complaint += averaging.complaint(values);
    }
    return complaint;
  };
  return trial;
}

}  // namespace starling::testing
