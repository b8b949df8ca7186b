// From the events of all peers to numbers about the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starling/core/event.hpp"

namespace starling::trainer {

/// One step, over the peers that did it.
struct StepReport {
  std::uint64_t step = 0;
  std::size_t peers = 0;   ///< that reported the step
  Time time{};             ///< when the last of them had done it
  double loss_mean = 0.0;  ///< over the peers that had a batch, in rank order; NaN if none had
  double loss_min = 0.0;
  double loss_max = 0.0;
  std::uint64_t samples = 0;
  float learning_rate = 0.0F;
};

/// All models after one step.
struct SnapshotReport {
  std::uint64_t step = 0;
  Time time{};
  std::vector<std::size_t> ranks;   ///< the peers whose models these are
  std::vector<double> loss;         ///< of each peer's last mini-batch
  std::vector<double> distance;     ///< of each peer: ||x_i - mean||^2
  double consensus_distance = 0.0;  ///< (1/n) sum_i ||x_i - mean||^2
  double mean_drift = 0.0;          ///< ||mean - mean at the start||
  std::vector<float> mean;          ///< (1/n) sum_i x_i, summed in double in rank order
};

/// How often and how long others warned that they wait for one peer.
struct SlowTotal {
  std::uint64_t warnings = 0;
  Duration longest{};
};

/// What a run amounts to so far.
struct RunTotals {
  double training_loss = 0.0;  ///< mean over the last `tail_steps` steps; NaN before the first
  std::uint64_t rejected_contributions = 0;
  std::uint64_t partners_lost = 0;
  std::uint64_t reports_dropped = 0;        ///< not delivered because the callbacks were too slow
  std::map<std::size_t, SlowTotal> slow{};  ///< by the rank that was waited for
  std::string stalled{};  ///< who waited for whom when nothing could run any more, a line each
};

struct RecorderOptions {
  std::size_t peers = 1;
  std::size_t tail_steps = 1;       ///< steps that training_loss is the mean of
  std::vector<float> start_mean{};  ///< where drift counts from; empty: the first snapshot's mean

  // Called one at a time and in the order of steps, on whichever peer completes the report, never
  // under a lock. They must not emit events. Empty ones are not called.
  std::function<void(const StepReport&)> on_step = nullptr;
  std::function<void(const SnapshotReport&)> on_snapshot = nullptr;
  std::function<void(const Event&)> on_warning = nullptr;  ///< warnings and errors
};

/// Collects the events of all peers of a static world. A step is reported when every peer has done
/// it that is still there (PeerGone takes one out); peers may be kStepsOpenMax steps apart, beyond
/// that a step is reported with the peers that have done it.
class Recorder : public Observer {
 public:
  static constexpr std::size_t kStepsOpenMax = 64;
  static constexpr std::size_t kSnapshotsOpenMax = 8;
  static constexpr std::size_t kReportsWaitingMax = 4096;  ///< of them kSnapshotsOpenMax snapshots

  explicit Recorder(RecorderOptions options);

  void on_event(const Event& event) override;

  /// Reports what is open, with the peers that were there. For the end of a run, when no peer emits
  /// any more.
  void close();

  [[nodiscard]] RunTotals totals() const;

 private:
  template <class Entry>
  struct Open {
    Time time{};
    std::map<std::size_t, Entry> by_rank;
  };

  struct PeerModel {
    double loss = 0.0;
    std::vector<float> model;
  };

  using Report = std::variant<StepReport, SnapshotReport, Event>;

  RecorderOptions options_;
  mutable std::mutex mutex_;  // guards all below; not held while a callback runs
  std::vector<bool> gone_;
  std::vector<double> last_loss_;
  std::size_t present_;  // peers that are not gone
  std::map<std::uint64_t, Open<StepDone>> steps_;
  std::map<std::uint64_t, Open<PeerModel>> snapshots_;
  std::uint64_t steps_closed_ = 0;      // steps up to this one have been reported
  std::uint64_t snapshots_closed_ = 0;  // 1 + the last snapshot's step
  RunTotals totals_;
  std::vector<double> tail_;  // a ring of the last mean losses
  std::size_t tail_next_ = 0;
  std::vector<float> start_mean_;
  std::queue<Report> reports_;
  std::size_t snapshots_waiting_ = 0;
  bool delivering_ = false;

  void take(std::size_t rank, const Event& event);
  void take_step(std::size_t rank, Time time, const StepDone& done);
  void take_snapshot(std::size_t rank, Time time, const ModelSnapshot& snapshot);
  void take_gone(std::size_t rank);
  void close_what_is_complete();
  void close_step();
  void close_snapshot();
  void remember_loss(double loss);
  template <class Entry>
  [[nodiscard]] bool is_complete(const Open<Entry>& open) const;
  void push(Report report);
  void deliver(std::unique_lock<std::mutex>& lock);
  void call(const Report& report) const;
};

}  // namespace starling::trainer
