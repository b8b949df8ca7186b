#include "starling/trainer/timing.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/core/byte_size.hpp"
#include "starling/core/error.hpp"
#include "starling/trainer/timed_member.hpp"

namespace starling::trainer {

namespace {

using collective::Operation;

/// Of an actor: what is timed keeps nothing large on the stack.
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

constexpr std::size_t kBatches = 9;

// What stands for algorithms of other names.
constexpr std::string_view kEvery = "all";
constexpr std::string_view kChosen = "auto";

/// Short calls are timed together, so many as take about this long by a trial of a few.
constexpr double kSecondsOfBatch = 0.02;
constexpr std::size_t kTrialCalls = 3;
constexpr double kCallsMax = 1000;

/// The elements of a vector of about `bytes`: whole ones, in equal parts where all must be equal.
std::size_t elements_for(const Timing& timing, std::size_t bytes) {
  const std::size_t elements = bytes / size_of(timing.type);
  if (timing.operation == Operation::all_gather || timing.operation == Operation::all_to_all) {
    return std::max<std::size_t>(1, elements / timing.peers) * timing.peers;
  }
  return timing.operation == Operation::barrier ? 0 : elements;
}

/// Of the vector as the schedules see it, if a peer has so many elements.
std::size_t vector_elements_for(const Timing& timing, std::size_t elements) {
  return timing.operation == Operation::all_to_all ? elements * timing.peers : elements;
}

/// For the schedules of `choice`, whose vector has so many elements.
collective::Request request_for(const Timing& timing,
                                const collective::Choice& choice,
                                std::size_t elements,
                                std::span<const std::size_t> declared) {
  collective::Request request{.operation = timing.operation,
                              .peers = timing.peers,
                              .root = timing.root,
                              .elements = elements};
  choice.fill_in(request, size_of(timing.type), declared);
  return request;
}

std::optional<std::string> why_not(const Timing& timing,
                                   const std::string& algorithm,
                                   std::span<const std::size_t> declared) {
  const collective::Choice choice = find_algorithm(algorithm, timing.operation);
  return choice.entry->why_not(request_for(timing, choice, 0, declared));
}

/// `algorithm` with segments so many times shorter, where it cuts the vector into any: as many of
/// them as the long vector has.
std::string with_shorter_segments(const std::string& algorithm,
                                  const Timing& timing,
                                  std::size_t scale) {
  const collective::Choice choice = find_algorithm(algorithm, timing.operation);
  if (!choice.entry->takes.segment || scale == 1) {
    return algorithm;
  }
  const std::size_t whole =
      choice.segment_bytes == 0 ? collective::kSegmentBytes : choice.segment_bytes;
  const std::string key = ":segment=";
  const std::size_t begin = std::min(algorithm.find(key), algorithm.size());
  const std::size_t end = std::min(algorithm.find(':', begin + 1), algorithm.size());
  return algorithm.substr(0, begin) + (begin == end ? std::string() : algorithm.substr(end)) + key +
         bytes_text(std::max(whole / scale, size_of(timing.type)));
}

/// When every member was in a batch.
struct Batch {
  std::vector<Time> begins;  // by rank
  std::vector<Time> ends;

  explicit Batch(std::size_t peers) : begins(peers), ends(peers) {}

  [[nodiscard]] Duration length() const {
    return *std::max_element(ends.begin(), ends.end()) -
           *std::min_element(begins.begin(), begins.end());
  }
};

/// One algorithm at one size.
class Measurement {
 public:
  Measurement(const Timing& timing,
              const TimingSurroundings& surroundings,
              std::string algorithm,
              std::size_t bytes)
      : timing_(timing), surroundings_(surroundings), elements_(elements_for(timing, bytes)) {
    row_.operation = timing.operation;
    row_.algorithm = std::move(algorithm);
    row_.peers = timing.peers;
    row_.type = timing.type;
    row_.bytes = elements_ * size_of(timing.type);
    row_.chosen = row_.algorithm;
    if (row_.algorithm == kChosen) {
      row_.chosen = choose({.operation = timing.operation,
                            .peers = timing.peers,
                            .elements = vector_elements(),
                            .element_bytes = size_of(timing.type)},
                           surroundings.selection);
    }
  }

  TimingRow run(const collective::LinkModel& link) {
    row_.predicted_seconds = predicted_on(link);
    if (surroundings_.virtual_time) {
      simulate();
    } else {
      measure();
    }
    if (row_.seconds_median > 0.0) {
      row_.bus_bandwidth = least_share(timing_.operation, timing_.peers) *
                           static_cast<double>(row_.bytes) / row_.seconds_median;
    }
    return row_;
  }

 private:
  const Timing& timing_;
  const TimingSurroundings& surroundings_;
  std::size_t elements_;
  TimingRow row_;

  [[nodiscard]] std::size_t vector_elements() const {
    return vector_elements_for(timing_, elements_);
  }

  [[nodiscard]] double predicted_on(const collective::LinkModel& link) const {
    const collective::Choice choice = find_algorithm(row_.chosen, timing_.operation);
    const collective::Request request =
        request_for(timing_, choice, vector_elements(), surroundings_.selection.link.torus);
    return predict(
        schedules_of(*choice.entry, request), vector_elements(), size_of(timing_.type), link);
  }

  [[nodiscard]] std::unique_ptr<World> make_world() const {
    return surroundings_.make_world({.peers = timing_.peers,
                                     .seed = timing_.seed,
                                     .observer = surroundings_.observer,
                                     .slow_warning = timing_.slow_warning,
                                     .stack_bytes = kStackBytes},
                                    row_.scale);
  }

  [[nodiscard]] TimedCall call_at_scale() const {
    const std::size_t scale = row_.scale;
    return {.operation = timing_.operation,
            .type = timing_.type,
            .reduction = timing_.reduction,
            .root = timing_.root,
            .algorithm = with_shorter_segments(row_.chosen, timing_, scale),
            .elements = scale == 1 ? elements_ : elements_for(timing_, row_.bytes / scale),
            .timeout = timing_.timeout,
            .message_bytes = scale == 1 ? 0 : collective::kMessageBytesMax / scale};
  }

  /// @param sent payload of one call, by rank
  void note_bytes(const std::vector<std::uint64_t>& sent) {
    const double all = static_cast<double>(std::reduce(sent.begin(), sent.end())) *
                       static_cast<double>(row_.scale);
    row_.bytes_per_peer = all / static_cast<double>(timing_.peers);
  }

  void simulate() {
    while (row_.bytes / row_.scale > timing_.simulated_bytes / timing_.peers) {
      row_.scale *= 2;
    }
    const TimedCall call = call_at_scale();
    Batch batch(timing_.peers);
    std::vector<std::uint64_t> sent(timing_.peers);
    const RunReport report = make_world()->run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      TimedMember member(group, call, surroundings_.selection);
      batch.begins[group.rank()] = peer.clock().now();
      member.call();
      batch.ends[group.rank()] = peer.clock().now();
      sent[group.rank()] = peer.meter().payload_bytes_sent;
    });
    report.or_throw();
    note_bytes(sent);
    row_.seconds_median = row_.seconds_min = seconds(batch.length());
  }

  /// A few calls.
  [[nodiscard]] static Duration time_of_trial(TimedMember& member, Peer& peer) {
    member.meet();
    const Time start = peer.clock().now();
    for (std::size_t k = 0; k < kTrialCalls; ++k) {
      member.call();
    }
    return peer.clock().now() - start;
  }

  [[nodiscard]] static std::size_t calls_of_batch(Duration trial) {
    const double calls = kTrialCalls * kSecondsOfBatch / std::max(seconds(trial), 1e-9);
    return static_cast<std::size_t>(std::clamp(calls, 1.0, kCallsMax));
  }

  void measure() {
    const TimedCall call = call_at_scale();
    std::vector<Batch> batches(timing_.repeats != 0 ? timing_.repeats : kBatches,
                               Batch(timing_.peers));
    std::vector<std::uint64_t> sent(timing_.peers);
    std::size_t calls = 1;  // of a batch; written by rank 0 while all others wait for it
    const RunReport report = make_world()->run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      TimedMember member(group, call, surroundings_.selection);
      const Meter before = peer.meter();
      member.call();
      sent[group.rank()] = peer.meter().since(before).payload_bytes_sent;
      const Duration trial = time_of_trial(member, peer);
      if (group.rank() == 0 && timing_.repeats == 0) {
        calls = calls_of_batch(trial);
      }
      for (Batch& batch : batches) {
        member.meet();
        batch.begins[group.rank()] = peer.clock().now();
        for (std::size_t k = 0; k < calls; ++k) {
          member.call();
        }
        batch.ends[group.rank()] = peer.clock().now();
      }
    });
    report.or_throw();
    note_bytes(sent);
    std::vector<double> times;
    times.reserve(batches.size());
    for (const Batch& batch : batches) {
      times.push_back(seconds(batch.length()) / static_cast<double>(calls));
    }
    std::sort(times.begin(), times.end());
    row_.seconds_min = times.front();
    row_.seconds_median = times[times.size() / 2];
  }
};

std::vector<std::string> algorithms_of(const Timing& timing,
                                       const TimingSurroundings& surroundings) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const std::string& asked : timing.algorithms) {
    if (asked != kEvery) {
      add(asked);
      continue;
    }
    add(std::string(kChosen));
    for (const std::string& name : collective::names_for(timing.operation)) {
      const auto reason = why_not(timing, name, surroundings.selection.link.torus);
      if (!reason) {
        add(name);
      } else if (surroundings.on_left_out) {
        surroundings.on_left_out(name + ": " + *reason);
      }
    }
  }
  return names;
}

/// What is known of the world's network, or found out.
collective::LinkModel link_of(const Timing& timing, const TimingSurroundings& surroundings) {
  if (surroundings.link) {
    return *surroundings.link;
  }
  return timing.peers == 1 ? collective::LinkModel{} : measured_link(timing, surroundings);
}

}  // namespace

void Timing::validate(std::span<const std::size_t> declared) const {
  if (peers == 0 || sizes.empty() || algorithms.empty()) {
    throw ConfigError("bench: needs peers, sizes and algorithms");
  }
  if (root >= peers) {
    throw ConfigError("root: expected one of the ranks 0 to " + std::to_string(peers - 1) +
                      ", found " + std::to_string(root));
  }
  for (const std::size_t bytes : sizes) {
    if (bytes < size_of(type)) {
      throw ConfigError("sizes: " + bytes_text(bytes) + " hold no " + to_string(type) + " of " +
                        bytes_text(size_of(type)));
    }
  }
  for (const std::string& name : algorithms) {
    if (name == kEvery || name == kChosen) {
      if (collective::names_for(operation).empty()) {
        throw ConfigError("algorithm: none offers " + std::string(to_string(operation)));
      }
      continue;
    }
    if (const auto reason = why_not(*this, name, declared)) {
      throw ConfigError("algorithm: " + name + ": " + *reason);
    }
  }
}

double least_share(Operation operation, std::size_t peers) {
  const double others = static_cast<double>(peers - 1) / static_cast<double>(peers);
  switch (operation) {
    case Operation::all_reduce:
      return 2.0 * others;
    case Operation::broadcast:
    case Operation::reduce:
      return peers == 1 ? 0.0 : 1.0;
    case Operation::barrier:
      return 0.0;
    default:
      return others;
  }
}

collective::LinkModel measured_link(const Timing& timing, const TimingSurroundings& surroundings) {
  constexpr std::size_t kShort = sizeof(float);
  constexpr std::size_t kLong = std::size_t{8} << 20U;
  Timing probe{.peers = 2,
               .seed = timing.seed,
               .timeout = timing.timeout,
               .slow_warning = timing.slow_warning};
  const auto time_of = [&](Operation operation, const char* algorithm, std::size_t bytes) {
    probe.operation = operation;
    return Measurement(probe, surroundings, algorithm, bytes).run({}).seconds_min;
  };
  const auto per_byte = [&](double time, double alpha) {
    return std::max(0.0, time - alpha) / static_cast<double>(kLong);
  };
  const double alpha = time_of(Operation::all_reduce, "recursive-doubling", kShort);
  const double beta = per_byte(time_of(Operation::broadcast, "binomial", kLong), alpha);
  const double both = per_byte(time_of(Operation::reduce, "binomial", kLong), alpha);
  return {.alpha_seconds = alpha,
          .beta_seconds_per_byte = beta,
          .gamma_seconds_per_byte = std::max(0.0, both - beta)};
}

std::vector<std::size_t> Timing::vector_bytes() const {
  std::vector<std::size_t> all;
  for (const std::size_t bytes : sizes) {
    all.push_back(vector_elements_for(*this, elements_for(*this, bytes)) * size_of(type));
  }
  return all;
}

std::vector<TimingRow> time_collectives(const Timing& timing,
                                        const TimingSurroundings& surroundings) {
  timing.validate(surroundings.selection.link.torus);
  const std::vector<std::string> algorithms = algorithms_of(timing, surroundings);
  const collective::LinkModel link = link_of(timing, surroundings);
  if (surroundings.on_begin) {
    surroundings.on_begin(algorithms, link);
  }
  std::vector<std::size_t> sizes = timing.sizes;
  if (timing.operation == Operation::barrier) {
    sizes.resize(1);
  }
  std::vector<TimingRow> rows;
  for (const std::size_t bytes : sizes) {
    for (const std::string& algorithm : algorithms) {
      rows.push_back(Measurement(timing, surroundings, algorithm, bytes).run(link));
      if (surroundings.on_row) {
        surroundings.on_row(rows.back());
      }
    }
  }
  return rows;
}

}  // namespace starling::trainer
