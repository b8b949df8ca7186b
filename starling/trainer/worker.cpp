#include "starling/trainer/worker.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "starling/core/span_math.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/evaluate.hpp"
#include "starling/trainer/handshake.hpp"

namespace starling::trainer {

namespace {

using algorithm::Algorithm;
using algorithm::Replica;

/// In front of the names of vectors, for the part they belong to.
constexpr const char* kOptimizer = "optimizer.";
constexpr const char* kAlgorithm = "algorithm.";

std::span<const float> find_vector(const PeerState& state, const std::string& name) {
  const auto found = state.vectors.find(name);
  if (found == state.vectors.end()) {
    throw DataError("checkpoint: no state '" + name + "' of peer " + std::to_string(state.peer));
  }
  return found->second;
}

void put_vectors(const char* part,
                 const std::vector<optimizer::StateVector>& vectors,
                 PeerState& state) {
  for (const optimizer::StateVector& vector : vectors) {
    state.vectors.emplace(part + vector.name,
                          std::vector<float>(vector.values.begin(), vector.values.end()));
  }
}

void restore_vectors(const char* part,
                     const std::vector<optimizer::StateVector>& vectors,
                     const PeerState& state) {
  for (const optimizer::StateVector& vector : vectors) {
    copy(find_vector(state, part + vector.name), vector.values);
  }
}

std::uint64_t find_counter(const PeerState& state, const std::string& name) {
  const auto found = state.counters.find(name);
  if (found == state.counters.end()) {
    throw DataError("checkpoint: no counter '" + name + "' of peer " + std::to_string(state.peer));
  }
  return found->second;
}

/// One peer's training under way.
class Worker {
 public:
  Worker(Peer& peer, const Work& work, PeerResult& result)
      : peer_(peer),
        work_(work),
        result_(result),
        plan_(work.plan),
        group_(Group::everyone(peer)),
        replica_(
            group_, make_parts(plan_, group_.rank()), make_replica_options(plan_, group_.rank())),
        algorithm_(plan_.entry->make(
            {.options = plan_.experiment.algorithm_options, .topology = plan_.topology})) {}

  void run() {
    algorithm_->start(replica_);
    begin();  // before the agreement: nobody goes on until rank 0 has prepared the checkpoints
    agree_on_layout(group_, replica_.objective().layout(), replica_.deadline());
    result_.began = true;
    const Meter before = peer_.meter();
    snapshot();
    while (replica_.steps_done() < plan_.total_steps &&
           work_.stop.may_begin(replica_.steps_done())) {
      algorithm_->step(replica_);
      replica_.finish_step();
      after_step();
    }
    algorithm_->finish(replica_);
    if (replica_.steps_done() < plan_.total_steps) {  // interrupted
      snapshot();
      checkpoint();
    }
    leave(before);
  }

 private:
  Peer& peer_;
  const Work& work_;
  PeerResult& result_;
  const Plan& plan_;
  Group group_;
  Replica replica_;
  std::unique_ptr<Algorithm> algorithm_;
  std::optional<std::uint64_t> dealt_epoch_;  // the epoch whose rest a resume has dealt

  void begin();
  void restore_state(const Checkpoint& checkpoint);
  void begin_as_newcomer(const Beginning& beginning);
  void after_step();
  void snapshot();
  void checkpoint();
  bool is_left_out(const std::filesystem::path& directory);
  void withdraw_unwritten(const std::filesystem::path& directory);
  [[nodiscard]] PeerState state();
  void leave(const Meter& before);
};

void Worker::begin() {
  if (work_.beginning != nullptr) {
    const Beginning& beginning = *work_.beginning;
    if (beginning.rest) {
      begin_as_newcomer(beginning);
    } else {
      restore_state(beginning.checkpoint);
    }
  }
  result_.steps = replica_.steps_done();
  const auto directory = checkpoint_directory(plan_.experiment);
  const CheckpointOptions& options = plan_.experiment.checkpoint;
  if (!directory.empty() && options.every > 0 && group_.rank() == 0) {
    ensure_room(directory, group_.size() * room_needed(directory, state(), options.keep));
  }
}

/// Bit for bit where this peer was.
void Worker::restore_state(const Checkpoint& checkpoint) {
  const PeerState& mine = checkpoint.peers[group_.rank()];
  copy(mine.parameters, replica_.parameters());
  restore_vectors(kOptimizer, replica_.optimizer().state(), mine);
  restore_vectors(kAlgorithm, algorithm_->vectors(), mine);
  replica_.optimizer().set_steps(find_counter(mine, "optimizer.steps"));
  std::vector<algorithm::StateScalar> scalars;
  for (const auto& [name, value] : mine.scalars) {
    scalars.push_back({name, value});
  }
  algorithm_->restore_scalars(scalars);
  peer_.restore_random(mine.random);
  replica_.set_progress(mine.step, find_counter(mine, "samples"));
  if (!replica_.batches()) {
    return;
  }
  std::vector<DataState> data;
  for (const PeerState& peer : checkpoint.peers) {
    data.push_back(peer.data);
  }
  restore(*replica_.batches(), data, group_.rank(), deal_options(plan_));
  if (mine.data.dealt) {
    dealt_epoch_ = mine.data.epoch;
  }
}

/// One of another number of peers: the mean of the old models and momenta, a share of what the
/// epoch has not seen yet, streams of chance of its own. The samples seen so far are counted at
/// rank 0.
void Worker::begin_as_newcomer(const Beginning& beginning) {
  const std::vector<PeerState>& old = beginning.checkpoint.peers;
  copy(mean_parameters(old), replica_.parameters());
  for (const optimizer::StateVector& vector : replica_.optimizer().state()) {
    std::vector<std::span<const float>> theirs;
    theirs.reserve(old.size());
    for (const PeerState& peer : old) {
      theirs.emplace_back(find_vector(peer, kOptimizer + vector.name));
    }
    mean(theirs, vector.values);
  }
  replica_.optimizer().set_steps(find_counter(old[0], "optimizer.steps"));
  std::uint64_t samples = 0;
  for (const PeerState& peer : old) {
    samples += find_counter(peer, "samples");
  }
  replica_.set_progress(old[0].step, group_.rank() == 0 ? samples : 0);
  if (!replica_.batches()) {
    return;
  }
  visit_rest(*replica_.batches(), *beginning.rest, group_.rank());
  dealt_epoch_ = beginning.rest->epoch;
}

void Worker::after_step() {
  const std::uint64_t done = replica_.steps_done();
  result_.steps = done;
  result_.samples_seen = replica_.samples_seen();
  const Experiment& experiment = plan_.experiment;
  const bool last = done == plan_.total_steps;
  const bool evaluates = experiment.evaluate_every != 0 && done % experiment.evaluate_every == 0;
  if (last || evaluates || done % plan_.snapshot_every == 0) {
    snapshot();
  }
  const std::uint64_t every = experiment.checkpoint.every;
  if (every != 0 && (last || done % every == 0)) {
    checkpoint();
  }
}

void Worker::snapshot() {
  peer_.emit(ModelSnapshot{replica_.steps_done(), algorithm_->evaluation_view(replica_)});
}

void Worker::checkpoint() {
  const auto directory = checkpoint_directory(plan_.experiment);
  if (directory.empty()) {
    return;
  }
  try {
    if (is_left_out(directory)) {
      return;
    }
    withdraw_unwritten(directory);
    if (work_.lost.is_unwritten(replica_.steps_done())) {
      return;  // whoever could not write it has said so
    }
    if (plan_.experiment.checkpoint.every == 0) {
      make_directories(directory);  // an interrupted run that had not planned any
    }
    save(directory, state(), plan_.experiment.checkpoint.keep);
  } catch (const StorageError& error) {
    if (plan_.experiment.checkpoint.on_error == OnStorageError::stop) {
      throw;
    }
    work_.lost.could_not_write(replica_.steps_done());
    peer_.emit(Note{Severity::warning, std::string("checkpoint left out: ") + error.what()});
    return;
  }
  peer_.emit(CheckpointSaved{replica_.steps_done(),
                             step_directory(directory, replica_.steps_done()).string()});
}

/// A checkpoint that lacks a lost peer is never complete, never resumed and never pruned: none is
/// begun, and what was begun before the loss was known goes, with what the lost had still to prune.
bool Worker::is_left_out(const std::filesystem::path& directory) {
  const std::vector<std::uint64_t> lost = work_.lost.ranks();
  std::error_code ignored;
  if (plan_.experiment.checkpoint.every != 0 &&
      !std::filesystem::is_directory(directory, ignored)) {
    return false;  // the disk has gone, which everybody is to hear, not only the first
  }
  if (lost.empty() || can_be_complete(directory, replica_.steps_done(), lost)) {
    return false;
  }
  PeerState whose{.peers = group_.size(), .peer = group_.rank(), .step = replica_.steps_done()};
  const auto clear = [&] {
    withdraw(directory, whose, lost);
    prune(directory, whose, plan_.experiment.checkpoint.keep);
  };
  clear();
  for (const std::uint64_t peer : lost) {  // they cannot do it themselves any more
    whose.peer = peer;
    clear();
  }
  if (work_.lost.is_first_to_warn()) {
    peer_.emit(Note{Severity::warning, incomplete_since(work_.lost.losses(), directory)});
  }
  return true;
}

/// What this peer has of steps that another could not write, and goes on without. They would never
/// be pruned.
void Worker::withdraw_unwritten(const std::filesystem::path& directory) {
  const PeerState whose{.peers = group_.size(), .peer = group_.rank()};
  for (const std::uint64_t step : checkpoint_steps(directory)) {
    if (step < replica_.steps_done() && work_.lost.is_unwritten(step)) {
      withdraw_step(directory, whose, step);
    }
  }
}

PeerState Worker::state() {
  PeerState state;
  state.peers = group_.size();
  state.peer = group_.rank();
  state.step = replica_.steps_done();
  state.experiment = plan_.fingerprint;
  const std::span<const float> x = replica_.parameters();
  state.parameters.assign(x.begin(), x.end());
  put_vectors(kOptimizer, replica_.optimizer().state(), state);
  put_vectors(kAlgorithm, algorithm_->vectors(), state);
  for (const algorithm::StateScalar& scalar : algorithm_->scalars()) {
    state.scalars.emplace(scalar.name, scalar.value);
  }
  state.counters.emplace("optimizer.steps", replica_.optimizer().steps());
  state.counters.emplace("samples", replica_.samples_seen());
  state.counters.emplace(kLengthCounter, plan_.total_steps);
  state.random = peer_.random_states();
  if (replica_.batches()) {
    state.data = data_state(*replica_.batches(), dealt_epoch_);
  }
  return state;
}

void Worker::leave(const Meter& before) {
  result_.meter = peer_.meter().since(before);
  const std::span<const float> x = replica_.parameters();
  result_.parameters.assign(x.begin(), x.end());
  const std::span<const float> view = algorithm_->evaluation_view(replica_);
  result_.model.assign(view.begin(), view.end());
  const auto& data = plan_.data.test != nullptr ? plan_.data.test : plan_.data.train;
  result_.own_evaluation = evaluate_in_pieces(
      replica_.objective(), view, {data.get(), plan_.evaluation_samples}, [this] {
        return work_.stop.is_overdue(kPatienceWithOwn);
      });
  result_.finished = true;
}

}  // namespace

void work(Peer& peer, const Work& work, PeerResult& result) {
  Worker(peer, work, result).run();
}

}  // namespace starling::trainer
