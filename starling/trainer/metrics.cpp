#include "starling/trainer/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::trainer {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// A peer without a batch has nothing to say about the loss; a loss that became NaN has.
bool had_batch(const StepDone& done) {
  return done.samples > 0 || !std::isnan(done.loss);
}

StepReport report_of(std::uint64_t step, const std::map<std::size_t, StepDone>& by_rank) {
  StepReport report;
  report.step = step;
  report.peers = by_rank.size();
  report.loss_min = std::numeric_limits<double>::infinity();
  report.loss_max = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  std::size_t with_batch = 0;
  for (const auto& [rank, done] : by_rank) {
    report.samples += done.samples;
    report.learning_rate = done.learning_rate;
    if (!had_batch(done)) {
      continue;
    }
    sum += done.loss;
    report.loss_min = std::min(report.loss_min, done.loss);
    report.loss_max = std::max(report.loss_max, done.loss);
    ++with_batch;
  }
  report.loss_mean = with_batch > 0 ? sum / static_cast<double>(with_batch) : kNoNumber;
  if (std::isnan(report.loss_mean)) {
    report.loss_min = report.loss_max = report.loss_mean;
  }
  return report;
}

}  // namespace

Recorder::Recorder(RecorderOptions options)
    : options_(std::move(options)),
      gone_(options_.peers, false),
      last_loss_(options_.peers, kNoNumber),
      present_(options_.peers),
      start_mean_(options_.start_mean) {
  ensure(options_.peers >= 1 && options_.tail_steps >= 1,
         "a recorder has peers and a tail",
         options_.peers,
         options_.tail_steps);
}

void Recorder::on_event(const Event& event) {
  std::unique_lock lock(mutex_);
  const std::size_t rank = event.from.value;
  ensure(rank < options_.peers, "a recorder knows the peers of its run", rank, options_.peers);
  take(rank, event);
  close_what_is_complete();
  deliver(lock);
}

void Recorder::take(std::size_t rank, const Event& event) {
  if (const auto* done = std::get_if<StepDone>(&event.what)) {
    take_step(rank, event.time, *done);
  } else if (const auto* snapshot = std::get_if<ModelSnapshot>(&event.what)) {
    take_snapshot(rank, event.time, *snapshot);
  } else if (const auto* gone = std::get_if<PeerGone>(&event.what)) {
    take_gone(gone->peer.value);
  } else if (const auto* slow = std::get_if<SlowPeer>(&event.what)) {
    SlowTotal& total = totals_.slow[slow->culprit.value];
    ++total.warnings;
    total.longest = std::max(total.longest, slow->waited);
  } else if (const auto* stalled = std::get_if<Stalled>(&event.what)) {
    totals_.stalled = stalled->waits;
  }
  totals_.rejected_contributions += std::holds_alternative<ContributionRejected>(event.what);
  totals_.partners_lost += std::holds_alternative<PartnerLost>(event.what);
  if (severity_of(event) >= Severity::warning) {
    push(event);
  }
}

void Recorder::take_step(std::size_t rank, Time time, const StepDone& done) {
  last_loss_[rank] = done.loss;
  if (done.step <= steps_closed_) {
    return;
  }  // reported without this peer already
  Open<StepDone>& open = steps_[done.step];
  open.time = std::max(open.time, time);
  open.by_rank[rank] = done;
}

void Recorder::take_snapshot(std::size_t rank, Time time, const ModelSnapshot& snapshot) {
  if (snapshot.step < snapshots_closed_) {
    return;
  }
  Open<PeerModel>& open = snapshots_[snapshot.step];
  open.time = std::max(open.time, time);
  open.by_rank[rank] = {last_loss_[rank], {snapshot.model.begin(), snapshot.model.end()}};
}

void Recorder::take_gone(std::size_t rank) {
  if (rank >= gone_.size() || gone_[rank]) {
    return;
  }
  gone_[rank] = true;
  --present_;
}

template <class Entry>
bool Recorder::is_complete(const Open<Entry>& open) const {
  if (open.by_rank.size() < present_) {
    return false;
  }
  for (std::size_t rank = 0; rank < gone_.size(); ++rank) {
    if (!gone_[rank] && !open.by_rank.contains(rank)) {
      return false;
    }
  }
  return true;
}

void Recorder::close_what_is_complete() {
  while (!steps_.empty() &&
         (is_complete(steps_.begin()->second) || steps_.size() > kStepsOpenMax)) {
    close_step();
  }
  while (!snapshots_.empty() &&
         (is_complete(snapshots_.begin()->second) || snapshots_.size() > kSnapshotsOpenMax)) {
    close_snapshot();
  }
}

void Recorder::close_step() {
  const auto& [step, open] = *steps_.begin();
  StepReport report = report_of(step, open.by_rank);
  report.time = open.time;
  steps_closed_ = step;
  remember_loss(report.loss_mean);
  push(report);
  steps_.erase(steps_.begin());
}

void Recorder::remember_loss(double loss) {
  if (std::isnan(loss)) {
    return;
  }
  if (tail_.size() < options_.tail_steps) {
    tail_.push_back(loss);
  } else {
    tail_[tail_next_] = loss;
  }
  tail_next_ = (tail_next_ + 1) % options_.tail_steps;
}

void Recorder::close_snapshot() {
  auto node = snapshots_.extract(snapshots_.begin());
  const Open<PeerModel>& open = node.mapped();
  SnapshotReport report;
  report.step = node.key();
  report.time = open.time;
  snapshots_closed_ = node.key() + 1;
  std::vector<std::span<const float>> models;
  for (const auto& [rank, peer] : open.by_rank) {
    report.ranks.push_back(rank);
    report.loss.push_back(peer.loss);
    models.emplace_back(peer.model);
  }
  report.mean.resize(models.front().size());
  mean(models, report.mean);
  for (const auto model : models) {
    report.distance.push_back(squared_distance(model, report.mean));
    report.consensus_distance += report.distance.back();
  }
  report.consensus_distance /= static_cast<double>(models.size());
  if (start_mean_.empty()) {
    start_mean_ = report.mean;
  }
  report.mean_drift = std::sqrt(squared_distance(report.mean, start_mean_));
  push(std::move(report));
}

void Recorder::push(Report report) {
  const bool is_snapshot = std::holds_alternative<SnapshotReport>(report);
  if (reports_.size() >= kReportsWaitingMax ||
      (is_snapshot && snapshots_waiting_ >= kSnapshotsOpenMax)) {
    ++totals_.reports_dropped;
    return;
  }
  snapshots_waiting_ += is_snapshot ? 1 : 0;
  reports_.push(std::move(report));
}

void Recorder::deliver(std::unique_lock<std::mutex>& lock) {
  if (delivering_) {
    return;
  }  // whoever delivers takes ours too, in order

  struct Delivering {
    bool& flag;

    explicit Delivering(bool& set) : flag(set) { flag = true; }

    Delivering(const Delivering&) = delete;
    Delivering& operator=(const Delivering&) = delete;

    ~Delivering() { flag = false; }
  };

  struct Unlocked {
    std::unique_lock<std::mutex>& held;

    explicit Unlocked(std::unique_lock<std::mutex>& from) : held(from) { held.unlock(); }

    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

    ~Unlocked() { held.lock(); }
  };

  const Delivering delivering(delivering_);
  while (!reports_.empty()) {
    const Report report = std::move(reports_.front());
    reports_.pop();
    snapshots_waiting_ -= std::holds_alternative<SnapshotReport>(report) ? 1 : 0;
    const Unlocked unlocked(lock);
    call(report);
  }
}

void Recorder::call(const Report& report) const {
  if (const auto* step = std::get_if<StepReport>(&report)) {
    if (options_.on_step) {
      options_.on_step(*step);
    }
  } else if (const auto* snapshot = std::get_if<SnapshotReport>(&report)) {
    if (options_.on_snapshot) {
      options_.on_snapshot(*snapshot);
    }
  } else if (options_.on_warning) {
    options_.on_warning(std::get<Event>(report));
  }
}

void Recorder::close() {
  std::unique_lock lock(mutex_);
  while (!steps_.empty()) {
    close_step();
  }
  while (!snapshots_.empty()) {
    close_snapshot();
  }
  deliver(lock);
}

RunTotals Recorder::totals() const {
  const std::lock_guard lock(mutex_);
  RunTotals totals = totals_;
  double sum = 0.0;
  for (const double loss : tail_) {
    sum += loss;
  }
  totals.training_loss = tail_.empty() ? kNoNumber : sum / static_cast<double>(tail_.size());
  return totals;
}

}  // namespace starling::trainer
