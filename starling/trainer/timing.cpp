#include "starling/trainer/timing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/collective/collective.hpp"
#include "starling/collective/combine.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::trainer {

namespace {

using collective::Collective;
using collective::CollectiveOptions;
using collective::ConstValues;
using collective::DataType;
using collective::Operation;
using collective::Values;

/// Bytes that all simulated peers together may have in their vectors.
constexpr std::size_t kSimulatedBytesMax = std::size_t{256} << 20U;

constexpr std::size_t kBatches = 9;

/// Memory that all members pass over in a batch, about, so that short calls are timed together.
constexpr std::size_t kBytesOfBatch = std::size_t{32} << 20U;
constexpr std::size_t kCallsMax = 200;

/// The elements of a vector of about `bytes`: whole ones, in equal parts where all must be equal.
std::size_t elements_for(const Timing& timing, std::size_t bytes) {
  const std::size_t element = size_of(timing.type);
  const std::size_t elements = bytes / element;
  if (timing.operation == Operation::all_gather || timing.operation == Operation::all_to_all) {
    return std::max<std::size_t>(1, elements / timing.peers) * timing.peers;
  }
  return timing.operation == Operation::barrier ? 0 : elements;
}

/// The memory of one member and the call on it.
class Member {
 public:
  Member(const Group& group,
         const Timing& timing,
         const collective::Selection& selection,
         std::size_t elements)
      : group_(group),
        timing_(timing),
        elements_(elements),
        collective_(group, selection),
        input_(length(true) * size_of(timing.type)),
        output_(length(false) * size_of(timing.type)) {
    std::fill(input_.mutable_bytes().begin(), input_.mutable_bytes().end(), std::byte{0});
  }

  void call(const std::string& algorithm) {
    const CollectiveOptions options{.algorithm = algorithm,
                                    .deadline = group_.peer().clock().in(timing_.timeout),
                                    .round = ++round_};
    const ConstValues in(timing_.type, input_.bytes());
    const Values out(timing_.type, output_.mutable_bytes());
    switch (timing_.operation) {
      case Operation::all_reduce:
        return collective_.all_reduce(in, out, timing_.reduction, options);
      case Operation::broadcast:
        return collective_.broadcast(out, timing_.root, options);
      case Operation::reduce:
        return collective_.reduce(in, out, timing_.reduction, timing_.root, options);
      case Operation::all_gather:
        return collective_.all_gather(in, out, options);
      case Operation::reduce_scatter:
        return collective_.reduce_scatter(in, out, timing_.reduction, options);
      case Operation::scatter:
        return collective_.scatter(in, out, elements_, timing_.root, options);
      case Operation::gather:
        return collective_.gather(in, out, elements_, timing_.root, options);
      case Operation::all_to_all:
        return collective_.all_to_all(in, out, options);
      case Operation::barrier:
        return collective_.barrier(options);
    }
  }

  /// Everybody is here.
  void meet() {
    collective_.barrier({.deadline = group_.peer().clock().in(timing_.timeout), .round = ++round_});
  }

 private:
  const Group& group_;
  const Timing& timing_;
  std::size_t elements_;
  Collective collective_;
  Buffer input_;
  Buffer output_;
  std::uint64_t round_ = 0;

  [[nodiscard]] std::size_t length(bool of_input) const {
    const std::size_t mine = chunk(elements_, group_.size(), group_.rank()).size();
    const bool is_root = group_.rank() == timing_.root;
    switch (timing_.operation) {
      case Operation::all_gather:
        return of_input ? elements_ / group_.size() : elements_;
      case Operation::reduce_scatter:
        return of_input ? elements_ : mine;
      case Operation::scatter:
        return of_input ? (is_root ? elements_ : 0) : mine;
      case Operation::gather:
        return of_input ? mine : (is_root ? elements_ : 0);
      case Operation::reduce:
        return of_input || is_root ? elements_ : 0;
      case Operation::broadcast:
        return of_input ? 0 : elements_;
      default:
        return elements_;
    }
  }
};

/// One algorithm at one size.
class Measurement {
 public:
  Measurement(const Timing& timing,
              const TimingSurroundings& surroundings,
              const collective::Selection& selection,
              std::string algorithm,
              std::size_t bytes)
      : timing_(timing),
        surroundings_(surroundings),
        selection_(selection),
        elements_(elements_for(timing, bytes)) {
    row_.algorithm = std::move(algorithm);
    row_.peers = timing.peers;
    row_.bytes = elements_ * size_of(timing.type);
    row_.chosen = row_.algorithm;
    if (row_.algorithm == "auto") {
      row_.chosen = choose({.operation = timing.operation,
                            .peers = timing.peers,
                            .elements = vector_elements(),
                            .element_bytes = size_of(timing.type)},
                           selection);
    }
  }

  TimingRow run() {
    predict_time();
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
  const collective::Selection& selection_;
  std::size_t elements_;
  TimingRow row_;

  /// Of the vector as the schedules see it.
  [[nodiscard]] std::size_t vector_elements() const {
    return timing_.operation == Operation::all_to_all ? elements_ * timing_.peers : elements_;
  }

  void predict_time() {
    const collective::Choice choice = find_algorithm(row_.chosen, timing_.operation);
    collective::Request request{.operation = timing_.operation,
                                .peers = timing_.peers,
                                .root = timing_.root,
                                .elements = vector_elements()};
    choice.fill_in(request, size_of(timing_.type), selection_.link.torus);
    row_.predicted_seconds = predict(schedules_of(*choice.entry, request),
                                     vector_elements(),
                                     size_of(timing_.type),
                                     selection_.link);
  }

  [[nodiscard]] WorldRequest world_request() const {
    return {.peers = timing_.peers,
            .seed = timing_.seed,
            .observer = surroundings_.observer,
            .slow_warning = timing_.slow_warning};
  }

  void note_bytes(const RunReport& report, std::size_t calls) {
    double sent = 0.0;
    for (const PeerOutcome& each : report.peers) {
      sent += static_cast<double>(each.meter.payload_bytes_sent);
    }
    row_.bytes_per_peer =
        sent * static_cast<double>(row_.scale) / static_cast<double>(calls * timing_.peers);
  }

  /// Everybody starts at time zero; over when the last one is.
  void simulate() {
    while (elements_ * size_of(timing_.type) * timing_.peers / row_.scale > kSimulatedBytesMax) {
      row_.scale *= 2;
    }
    const std::size_t elements = elements_for(timing_, row_.bytes / row_.scale);
    Duration longest{};
    const RunReport report =
        surroundings_.make_world(world_request(), row_.scale)->run([&](Peer& peer) {
          const Group group = Group::everyone(peer);
          Member member(group, timing_, selection_, elements);
          const Time start = peer.clock().now();
          member.call(row_.chosen);
          longest = std::max(longest, peer.clock().now() - start);
        });
    report.or_throw();
    note_bytes(report, 1);
    row_.seconds_median = row_.seconds_min = seconds(longest);
  }

  /// Batches of calls, each begun together, as rank 0 sees them.
  void measure() {
    const std::size_t bytes = std::max<std::size_t>(1, row_.bytes * timing_.peers);
    const std::size_t calls =
        timing_.repeats != 0 ? 1 : std::clamp<std::size_t>(kBytesOfBatch / bytes, 1, kCallsMax);
    const std::size_t batches = timing_.repeats != 0 ? timing_.repeats : kBatches;
    std::vector<double> times;
    const RunReport report = surroundings_.make_world(world_request(), 1)->run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      Member member(group, timing_, selection_, elements_);
      member.call(row_.chosen);
      for (std::size_t batch = 0; batch < batches; ++batch) {
        member.meet();
        const Time start = peer.clock().now();
        for (std::size_t k = 0; k < calls; ++k) {
          member.call(row_.chosen);
        }
        if (group.rank() == 0) {
          times.push_back(seconds(peer.clock().now() - start) / static_cast<double>(calls));
        }
      }
    });
    report.or_throw();
    note_bytes(report, 1 + batches * calls);
    std::sort(times.begin(), times.end());
    row_.seconds_min = times.front();
    row_.seconds_median = times[times.size() / 2];
  }
};

std::vector<std::string> algorithms_of(const Timing& timing,
                                       const TimingSurroundings& surroundings,
                                       const collective::Selection& selection) {
  std::vector<std::string> names;
  for (const std::string& asked : timing.algorithms) {
    if (asked != "all") {
      names.push_back(asked);
      continue;
    }
    names.push_back("auto");
    for (const std::string& name : collective::names_for(timing.operation)) {
      const collective::Choice choice = find_algorithm(name, timing.operation);
      collective::Request request{.operation = timing.operation, .peers = timing.peers};
      choice.fill_in(request, size_of(timing.type), selection.link.torus);
      const auto reason = choice.entry->why_not(request);
      if (!reason) {
        names.push_back(name);
      } else if (surroundings.on_left_out) {
        surroundings.on_left_out(name + ": " + *reason);
      }
    }
  }
  return names;
}

}  // namespace

void Timing::validate() const {
  if (peers == 0 || sizes.empty() || algorithms.empty()) {
    throw ConfigError("bench: needs peers, sizes and algorithms");
  }
  if (root >= peers) {
    throw ConfigError("root: there are ranks 0 to " + std::to_string(peers - 1) + ", found " +
                      std::to_string(root));
  }
  for (const std::string& name : algorithms) {
    if (name != "all" && name != "auto") {
      (void)find_algorithm(name, operation);
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

collective::LinkModel measured_link(const TimingSurroundings& surroundings, Duration timeout) {
  constexpr std::size_t kFew = 4;
  constexpr std::size_t kMany = std::size_t{8} << 20U;
  Timing timing{.operation = Operation::broadcast, .peers = 2, .timeout = timeout};
  const collective::Selection nothing_known;
  const auto time_of = [&](Operation operation, std::size_t bytes) {
    timing.operation = operation;
    return Measurement(timing, surroundings, nothing_known, "binomial", bytes).run().seconds_min;
  };
  collective::LinkModel link;
  link.alpha_seconds = time_of(Operation::broadcast, kFew);
  link.beta_seconds_per_byte =
      (time_of(Operation::broadcast, kMany) - link.alpha_seconds) / static_cast<double>(kMany);
  const double reduced = time_of(Operation::reduce, kMany);
  link.gamma_seconds_per_byte = std::max(
      0.0,
      (reduced - link.alpha_seconds) / static_cast<double>(kMany) - link.beta_seconds_per_byte);
  return link;
}

std::vector<TimingRow> time_collectives(const Timing& timing,
                                        const TimingSurroundings& surroundings) {
  timing.validate();
  collective::Selection selection;
  if (surroundings.selection != nullptr) {
    selection = *surroundings.selection;
  } else {
    selection.link = measured_link(surroundings, timing.timeout);
  }
  std::vector<TimingRow> rows;
  const std::vector<std::string> algorithms = algorithms_of(timing, surroundings, selection);
  for (const std::size_t bytes : timing.sizes) {
    for (const std::string& algorithm : algorithms) {
      rows.push_back(Measurement(timing, surroundings, selection, algorithm, bytes).run());
      if (surroundings.on_row) {
        surroundings.on_row(rows.back());
      }
    }
  }
  return rows;
}

}  // namespace starling::trainer
