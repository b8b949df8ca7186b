// Times exact group operations in any world, beside what the cost model predicts for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "starling/collective/choose.hpp"
#include "starling/collective/data_type.hpp"
#include "starling/collective/reduction.hpp"
#include "starling/collective/schedule.hpp"
#include "starling/core/time.hpp"
#include "starling/trainer/train.hpp"

namespace starling::trainer {

/// What is timed.
struct Timing {
  collective::Operation operation = collective::Operation::all_reduce;
  std::vector<std::string> algorithms{"auto"};  ///< names as for --collective; "all": every one
  std::size_t peers = 8;
  std::uint64_t seed = 1;
  /// Bytes of the vector: of an all-to-all what one peer sends to all, of the others the whole.
  std::vector<std::size_t> sizes{std::size_t{1} << 20U};
  collective::DataType type = collective::DataType::f32;
  collective::Reduction reduction = collective::Reduction::sum;
  std::size_t root = 0;
  std::size_t repeats = 0;  ///< timed calls; 0: as many as take about a second, simulation: 1
  Duration timeout = std::chrono::seconds(60);  ///< of a call
  Duration slow_warning = std::chrono::seconds(5);

  /// @throws ConfigError: an algorithm, its parameters or the sizes cannot be
  void validate() const;
};

/// One algorithm at one size.
struct TimingRow {
  std::string algorithm;  ///< as it was asked for
  std::string chosen;     ///< differs if that was auto
  std::size_t peers = 0;
  std::size_t bytes = 0;  ///< rounded to whole elements, and parts where all are equal
  double seconds_median = 0.0;
  double seconds_min = 0.0;
  double bytes_per_peer = 0.0;  ///< sent, mean over the peers
  double predicted_seconds = 0.0;

  /// Bytes a second that every peer must send and receive at least, over the time it took.
  double bus_bandwidth = 0.0;
  std::size_t scale = 1;  ///< simulation: so many bytes stood for one

  [[nodiscard]] double prediction_error() const {
    return seconds_median == 0.0 ? 0.0 : predicted_seconds / seconds_median - 1.0;
  }
};

struct TimingSurroundings {
  /// @param scale a simulated network must be so many times slower than what is asked about
  std::function<std::unique_ptr<World>(const WorldRequest&, std::size_t scale)> make_world;
  bool virtual_time = false;
  Observer* observer = nullptr;

  /// The network the predictions are for, and what auto means. Nothing: measured first.
  const collective::Selection* selection = nullptr;
  std::function<void(const TimingRow&)> on_row{};         ///< each as it is done; may be null
  std::function<void(const std::string&)> on_left_out{};  ///< algorithms that "all" leaves out
};

/// Rows by size, then algorithm. @throws ConfigError, PeerLost
std::vector<TimingRow> time_collectives(const Timing& timing,
                                        const TimingSurroundings& surroundings);

/// Share of a vector that every peer must send in `operation`, for the bus bandwidth: 2(n-1)/n for
/// an all-reduce.
double least_share(collective::Operation operation, std::size_t peers);

/// alpha and beta from exchanges of two peers, gamma from adding alone.
collective::LinkModel measured_link(const TimingSurroundings& surroundings, Duration timeout);

/// One object a line: algorithm, peers, bytes, seconds_median, seconds_min, bus_bandwidth,
/// bytes_per_peer, predicted_seconds, ...
std::string to_json(const TimingRow& row);

}  // namespace starling::trainer
