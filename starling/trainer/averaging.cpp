#include "starling/trainer/averaging.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "starling/core/random.hpp"
#include "starling/mixing/absences.hpp"

namespace starling::trainer {

namespace {

/// Of an actor: averaging keeps nothing large on the stack.
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

constexpr std::array kTargets{std::pair{"1e-4", 1e-4}, std::pair{"1e-9", 1e-9}};

/// The vectors of all ranks, one behind the other.
std::vector<float> draw_vectors(std::size_t peers, std::size_t elements, std::uint64_t seed) {
  std::vector<float> vectors(peers * elements);
  for (std::size_t rank = 0; rank < peers; ++rank) {
    Random random(stream_key(seed, rank), stream_key("averaging/vectors"));
    for (float& value : std::span(vectors).subspan(rank * elements, elements)) {
      value = static_cast<float>(random.normal());
    }
  }
  return vectors;
}

/// Payload sent, by round.
using Bytes = std::vector<std::uint64_t>;

/// What came of one repeat.
struct Repeat {
  std::vector<RoundErrors> errors;  ///< by round
  Bytes bytes;                      ///< of all peers
  std::array<std::uint64_t, kTargets.size()> rounds_to{};
  std::array<bool, kTargets.size()> has_reached{};
  std::uint64_t messages = 0;  ///< of all peers
  double virtual_seconds = 0.0;
  std::string how;
  std::string world;
};

/// What the peers of one repeat share.
class RepeatUnderWay {
 public:
  RepeatUnderWay(const Averaging& averaging,
                 const AveragingSurroundings& surroundings,
                 mixing::AveragerOptions options)
      : averaging_(averaging),
        surroundings_(surroundings),
        options_(std::move(options)),
        prepared_(mixing::prepare_averager(options_)),
        absences_(options_.peers,
                  averaging.rounds,
                  {.rate = averaging.failure_rate, .seed = options_.seed}),
        vectors_(draw_vectors(options_.peers, averaging.elements, options_.seed)),
        errors_(vectors_, options_.peers, averaging.rounds),
        bytes_(options_.peers, Bytes(averaging.rounds)) {}

  Repeat run() {
    const auto world =
        surroundings_.make_world({.peers = options_.peers,
                                  .seed = options_.seed,
                                  .observer = surroundings_.observer,
                                  .slow_warning = from_seconds(averaging_.slow_warning_seconds),
                                  .exchanges = static_cast<double>(averaging_.rounds),
                                  .message_bytes = averaging_.elements * sizeof(float),
                                  .stack_bytes = kStackBytes});
    const RunReport report = world->run([this](Peer& peer) { work(peer); });
    report.or_throw();
    return repeat_of(report, std::string(world->name()));
  }

 private:
  const Averaging& averaging_;
  const AveragingSurroundings& surroundings_;
  mixing::AveragerOptions options_;
  mixing::PreparedAverager prepared_;
  mixing::Absences absences_;
  std::vector<float> vectors_;
  ConsensusErrors errors_;
  std::vector<Bytes> bytes_;  // by rank; each written by its peer alone

  void work(Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::size_t rank = group.rank();
    const auto averager = prepared_.make(group);
    averager->begin(std::span(vectors_).subspan(rank * averaging_.elements, averaging_.elements));
    for (std::uint64_t round = 0; round < averaging_.rounds; ++round) {
      const Meter before = peer.meter();
      averager->round(
          {round, peer.clock().in(from_seconds(averaging_.timeout_seconds)), absences_.in(round)});
      bytes_[rank][round] = peer.meter().since(before).payload_bytes_sent;
      errors_.put(round, rank, averager->values());
      if (surroundings_.on_round) {
        surroundings_.on_round();
      }
    }
  }

  [[nodiscard]] Repeat repeat_of(const RunReport& report, std::string world) const {
    Repeat repeat{.errors = errors_.by_round(),
                  .bytes = Bytes(averaging_.rounds),
                  .virtual_seconds = surroundings_.virtual_time ? seconds(report.elapsed) : 0.0,
                  .how = prepared_.how,
                  .world = std::move(world)};
    for (const Bytes& bytes : bytes_) {
      for (std::size_t round = 0; round < bytes.size(); ++round) {
        repeat.bytes[round] += bytes[round];
      }
    }
    for (const PeerOutcome& outcome : report.peers) {
      repeat.messages += outcome.meter.messages_sent;
    }
    count_rounds(repeat);
    return repeat;
  }

  void count_rounds(Repeat& repeat) const {
    const double initial = errors_.errors_of(vectors_).variance;
    for (std::size_t k = 0; k < kTargets.size(); ++k) {
      const double target = kTargets[k].second;
      std::uint64_t round = 0;
      double variance = initial;
      while (variance > target && round < repeat.errors.size()) {
        variance = repeat.errors[round++].variance;
      }
      repeat.rounds_to[k] = round;
      repeat.has_reached[k] = variance <= target;
    }
  }
};

/// What is added up over the repeats.
class Sums {
 public:
  explicit Sums(std::uint64_t rounds) : rounds_(rounds) {}

  void add(const Repeat& repeat) {
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      RoundErrors& sum = rounds_[round].errors;
      sum.variance += repeat.errors[round].variance;
      sum.distance_to_initial_mean += repeat.errors[round].distance_to_initial_mean;
      sum.consensus_error += repeat.errors[round].consensus_error;
      rounds_[round].bytes_per_peer += static_cast<double>(repeat.bytes[round]);
    }
    for (std::size_t k = 0; k < kTargets.size(); ++k) {
      reached_[k] += repeat.has_reached[k] ? 1 : 0;
      rounds_to_[k] += repeat.rounds_to[k];
    }
    messages_ += static_cast<double>(repeat.messages);
    virtual_seconds_ += repeat.virtual_seconds;
  }

  void divide_into(AveragingSummary& summary) const {
    const auto repeats = static_cast<double>(summary.averaging.repeats);
    const double peers = repeats * static_cast<double>(summary.averaging.averager.peers);
    summary.rounds = rounds_;
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      AveragingRoundMeans& means = summary.rounds[round];
      means.round = round + 1;
      means.errors.variance /= repeats;
      means.errors.distance_to_initial_mean /= repeats;
      means.errors.consensus_error /= repeats;
      means.bytes_per_peer /= peers;
    }
    for (std::size_t k = 0; k < kTargets.size(); ++k) {
      const bool all = reached_[k] == summary.averaging.repeats;
      summary.targets.push_back({kTargets[k].first,
                                 kTargets[k].second,
                                 reached_[k],
                                 all ? static_cast<double>(rounds_to_[k]) / repeats
                                     : std::numeric_limits<double>::quiet_NaN()});
    }
    summary.messages_per_peer = messages_ / peers;
    summary.virtual_seconds = virtual_seconds_ / repeats;
  }

 private:
  std::vector<AveragingRoundMeans> rounds_;
  std::array<std::uint64_t, kTargets.size()> reached_{};
  std::array<std::uint64_t, kTargets.size()> rounds_to_{};
  double messages_ = 0.0;
  double virtual_seconds_ = 0.0;
};

}  // namespace

AveragingSummary average(const Averaging& averaging, const AveragingSurroundings& surroundings) {
  const auto started = std::chrono::steady_clock::now();
  AveragingSummary summary{.averaging = averaging};
  Sums sums(averaging.rounds);
  for (std::uint64_t k = 0; k < averaging.repeats; ++k) {
    mixing::AveragerOptions options = averaging.averager;
    options.seed += k;
    Repeat repeat = RepeatUnderWay(averaging, surroundings, std::move(options)).run();
    sums.add(repeat);
    summary.how = std::move(repeat.how);
    summary.world = std::move(repeat.world);
  }
  sums.divide_into(summary);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  summary.wall_seconds = wall.count();
  return summary;
}

}  // namespace starling::trainer
