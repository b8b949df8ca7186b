// What one call of `starling train`, `average` or `bench` is about: the experiment, the world it
// runs in, and how it is shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "starling/trainer/averaging.hpp"
#include "starling/trainer/experiment.hpp"
#include "starling/trainer/timing.hpp"

namespace starling::cli {

/// Where the peers live.
enum class WorldKind : std::uint8_t { threads, simulation };

struct WorldSettings {
  WorldKind on = WorldKind::threads;
  std::string platform = "lan";  ///< simulation: lan | wan | torus:AxBxC | a SimGrid platform file
  std::string faults;            ///< simulation: a file or rates; empty: none
  std::string host_speeds;       ///< simulation: one number a host, or a rule; empty: all the same
  std::string stragglers;        ///< simulation: which peers are slow; empty: none
};

struct ShowSettings {
  bool overwrite = false;  ///< --out may hold an earlier run
  bool json = false;       ///< the summary as JSON instead of a table
  bool quiet = false;      ///< errors only
  bool verbose = false;    ///< debug events too
};

/// What of `starling bench` the trainer does not take as it stands.
struct BenchSettings {
  std::vector<std::string> sizes{"1KiB..64MiB"};  ///< see bench_sizes.hpp
  std::filesystem::path plot;                     ///< SVG file; empty: none
};

struct Settings {
  trainer::Experiment experiment;  ///< all take peers, seed, waits and the folder from here
  trainer::Averaging averaging;    ///< the rest of average's; see averaging_of()
  trainer::Timing timing;          ///< the rest of bench's; see timing_of()
  BenchSettings bench;
  WorldSettings world;
  ShowSettings show;
};

/// What `starling average` runs.
trainer::Averaging averaging_of(const Settings& settings);

/// What `starling bench` times.
trainer::Timing timing_of(const Settings& settings);

}  // namespace starling::cli
