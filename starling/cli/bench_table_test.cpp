#include "starling/cli/bench_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using collective::Operation;
using trainer::TimingRow;

const TimingRow kRow{.algorithm = "auto",
                     .chosen = "ring",
                     .peers = 4,
                     .bytes = 65536,
                     .seconds_median = 2e-4,
                     .seconds_min = 1e-4,
                     .bytes_per_peer = 98304,
                     .predicted_seconds = 1.9e-4,
                     .bus_bandwidth = 4.9e8};

TEST(BenchTable, LinesStandUnderTheirHeading) {
  const std::vector<std::string> algorithms{"auto", "ring"};
  const BenchTable table(Operation::all_reduce, algorithms);
  const std::string heading = table.heading();
  const std::string line = table.line(kRow);
  EXPECT_EQ(line.size(), heading.size());
  for (const char* cell :
       {"auto ring", "64KiB", "200 us", "490 MB/s", "98.3 kB", "190 us", "-5.0 %"}) {
    EXPECT_NE(line.find(cell), std::string::npos) << cell << "\n" << heading << line;
  }
  EXPECT_EQ(line.find("64KiB") + 5, heading.find("SIZE") + 4);
  EXPECT_EQ(line.find("-5.0 %") + 6, heading.find("ERROR") + 5);
}

TEST(BenchTable, ABarrierHasNoSizeAndNoBandwidth) {
  const std::vector<std::string> algorithms{"circulant"};
  TimingRow row = kRow;
  row.algorithm = row.chosen = "circulant";
  row.bytes = 0;
  row.bus_bandwidth = row.bytes_per_peer = 0.0;
  const std::string line = BenchTable(Operation::barrier, algorithms).line(row);
  EXPECT_EQ(line.find("KiB"), std::string::npos) << line;
  EXPECT_EQ(line.find("/s"), std::string::npos) << line;
}

TEST(BenchTable, TheTitleSaysWhatWasTimed) {
  Settings settings;
  settings.experiment.peers = 8;
  EXPECT_EQ(bench_title(settings), "all-reduce (sum) of f32, 8 peers on threads");
  settings.timing.operation = Operation::broadcast;
  settings.world = {.on = WorldKind::simulation, .platform = "torus:1"};
  settings.experiment.peers = 1;
  EXPECT_EQ(bench_title(settings), "broadcast of f32, 1 peer simulated on torus:1");
  settings.timing.operation = Operation::barrier;
  EXPECT_EQ(bench_title(settings), "barrier, 1 peer simulated on torus:1");
}

TEST(BenchTable, TheLinkIsSaidInItsOwnUnits) {
  EXPECT_EQ(link_text({.alpha_seconds = 2e-6,
                       .beta_seconds_per_byte = 0.25e-9,
                       .gamma_seconds_per_byte = 0.1e-9}),
            "alpha 2 us, beta 0.25 ns/B, gamma 0.1 ns/B");
  EXPECT_EQ(link_text({.alpha_seconds = 0.0,
                       .beta_seconds_per_byte = 0.8e-9,
                       .gamma_seconds_per_byte = 0.0,
                       .torus = {4, 4},
                       .hop_seconds = 1e-6}),
            "alpha 0.00 s, 1 us a hop, beta 0.8 ns/B");
}

}  // namespace
}  // namespace starling::cli
