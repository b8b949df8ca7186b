// Times exact group operations in any world, beside what the cost model predicts for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
  /// Bytes of the vector: of an all-to-all what one peer sends to all, of the others the whole. Of
  /// a barrier, which has none, one row is made.
  std::vector<std::size_t> sizes{std::size_t{1} << 20U};
  collective::DataType type = collective::DataType::f32;
  collective::Reduction reduction = collective::Reduction::sum;
  std::size_t root = 0;
  std::size_t repeats = 0;                      ///< timed calls; 0: nine batches of short ones
  Duration timeout = std::chrono::seconds(60);  ///< of a call
  Duration slow_warning = std::chrono::seconds(5);

  /// What the vectors of all simulated peers may take together; longer ones are simulated at a
  /// scale.
  std::size_t simulated_bytes = std::size_t{512} << 20U;

  /// @param declared extents of the network's torus, if it is one
  /// @throws ConfigError: an algorithm, its parameters, the root or the sizes cannot be
  void validate(std::span<const std::size_t> declared = {}) const;

  /// Of the vectors that are timed, in bytes of what all ranks hold together; ascending as `sizes`.
  [[nodiscard]] std::vector<std::size_t> vector_bytes() const;
};

/// One algorithm at one size.
struct TimingRow {
  collective::Operation operation = collective::Operation::all_reduce;
  std::string algorithm;  ///< as it was asked for
  std::string chosen;     ///< differs if that was auto
  std::size_t peers = 0;
  collective::DataType type = collective::DataType::f32;
  std::size_t bytes = 0;  ///< rounded to whole elements, and parts where all are equal
  double seconds_median = 0.0;
  double seconds_min = 0.0;
  double bytes_per_peer = 0.0;  ///< sent, mean over the peers
  double predicted_seconds = 0.0;

  /// Bytes a second that every peer must send or receive at least, over the time it took.
  double bus_bandwidth = 0.0;
  std::size_t scale = 1;  ///< simulation: so many bytes were one in memory

  /// Of what was measured; 0 where nothing takes no time, as with one peer.
  [[nodiscard]] double prediction_error() const {
    return seconds_median == 0.0 ? 0.0 : predicted_seconds / seconds_median - 1.0;
  }
};

struct TimingSurroundings {
  /// @param scale every byte counts as so many on the network: SimOptions::byte_scale; 1 where the
  /// time is real
  std::function<std::unique_ptr<World>(const WorldRequest&, std::size_t scale)> make_world;
  bool virtual_time = false;
  Observer* observer = nullptr;

  collective::Selection selection{};  ///< what auto means

  /// The network the predictions are for. Nothing: measured first.
  std::optional<collective::LinkModel> link{};

  /// Told once, before the first row: the algorithms of every size, and what predictions are for.
  /// Any of these may be null.
  std::function<void(std::span<const std::string>, const collective::LinkModel&)> on_begin{};
  std::function<void(const TimingRow&)> on_row{};         ///< each as it is done
  std::function<void(const std::string&)> on_left_out{};  ///< what "all" leaves out, and why
};

/// Rows by size, then algorithm. On threads a row is a warm-up call and then batches of calls that
/// follow each other, each from the first member that begins to the last one that ends. In
/// simulation it is one call that all begin at time zero.
/// @throws ConfigError before anything is measured, PeerLost
std::vector<TimingRow> time_collectives(const Timing& timing,
                                        const TimingSurroundings& surroundings);

/// Share of a vector that every peer must send in `operation`, for the bus bandwidth: 2(n-1)/n for
/// an all-reduce.
double least_share(collective::Operation operation, std::size_t peers);

/// From two peers of the world: alpha from an exchange of one element, beta from a long broadcast,
/// gamma from how much longer a reduction takes.
collective::LinkModel measured_link(const Timing& timing, const TimingSurroundings& surroundings);

/// One line with an object of operation, algorithm, chosen, n, type, bytes, seconds_median,
/// seconds_min, bus_bandwidth, bytes_per_peer, predicted_seconds, prediction_error and scale.
std::string to_json(const TimingRow& row);

}  // namespace starling::trainer
