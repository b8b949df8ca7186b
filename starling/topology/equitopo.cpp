#include "starling/topology/equitopo.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"
#include "starling/topology/arguments.hpp"
#include "starling/topology/circulant.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {

namespace {

constexpr std::uint64_t kAttempts = 100;       // draws before giving up on a connected graph
constexpr std::size_t kShiftsMax = 1'000'000;  // of a list

/// `count` shifts with replacement, without a divisor common to all of them and n.
std::vector<std::size_t> drawn_shifts(const Request& request, std::size_t count) {
  if (count > kShiftsMax) {
    refuse(
        request,
        "expected M from 1 to " + std::to_string(kShiftsMax) + ", found " + std::to_string(count));
  }
  const std::uint64_t key = stream_key(stream_key("topology/equitopo"), request.seed);
  std::vector<std::size_t> shifts(count);
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Random random(key, attempt);
    std::size_t divisor = request.peers;
    for (std::size_t& shift : shifts) {
      shift = 1 + random.below(request.peers - 1);
      divisor = std::gcd(divisor, shift);
    }
    if (divisor == 1) {
      return shifts;
    }
  }
  refuse(request,
         "no connected graph in " + std::to_string(kAttempts) +
             " draws; take another seed or a larger M");
}

/// floor(log2 n), at least 1.
std::size_t usual_shifts(std::size_t peers) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::bit_width(peers)) - 1);
}

Made make_static(const Request& request, bool both_ways) {
  Arguments arguments(request);
  const std::size_t count = arguments.count("M").value_or(usual_shifts(request.peers));
  arguments.finish();
  require_own_weights(request);
  const std::size_t n = request.peers;
  std::vector<std::vector<Shift>> rounds(1);
  if (n > 1) {
    const double whole = request.weights == WeightRule::lazy ? 0.5 : 1.0;
    const double share = whole * (1.0 - 1.0 / static_cast<double>(n)) / static_cast<double>(count);
    for (const std::size_t shift : drawn_shifts(request, count)) {
      if (both_ways) {
        rounds[0].push_back({shift, 0.5 * share});
        rounds[0].push_back({n - shift, 0.5 * share});
      } else {
        rounds[0].push_back({shift, share});
      }
    }
  }
  return std::make_shared<Circulant>(request.name, n, std::move(rounds));
}

/// What the two dynamic forms have in common: one partner, drawn in every round.
class EquiDyn : public Topology {
 public:
  /// @param shifts to draw from; none: all of 1 .. n-1. @param share weight of the partner
  EquiDyn(const Request& request, std::vector<std::size_t> shifts, double share)
      : name_(request.name),
        peers_(request.peers),
        key_(stream_key(stream_key("topology/equidyn"), request.seed)),
        shifts_(std::move(shifts)),
        share_(share) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return peers_; }

  [[nodiscard]] std::uint64_t period() const override { return peers_ <= 2 ? 1 : 0; }

 protected:
  struct Draw {
    std::size_t shift = 1;
    std::size_t start = 0;
  };

  /// @pre size() >= 2
  [[nodiscard]] Draw draw(std::uint64_t round) const {
    Random random(key_, round);
    const std::size_t shift =
        shifts_.empty() ? 1 + random.below(peers_ - 1) : shifts_[random.below(shifts_.size())];
    return {shift, random.below(peers_)};
  }

  [[nodiscard]] bool draws_from_all() const { return shifts_.empty(); }

  /// Every u that may be drawn, as often as it stands in the list.
  [[nodiscard]] std::vector<std::size_t> equally_likely() const {
    std::vector<std::size_t> shifts = shifts_;
    if (shifts.empty()) {
      shifts.resize(peers_ - 1);
      std::iota(shifts.begin(), shifts.end(), std::size_t{1});
    }
    return shifts;
  }

  [[nodiscard]] double share() const { return share_; }

  /// (1-b)^2 + b^2 + 2 b (1-b) `cosine` for W = (1-b) I + b P with a permutation P: what is left of
  /// a mode off the mean along which (P + P^T)/2 has this eigenvalue in expectation.
  [[nodiscard]] double contraction(double cosine) const {
    const double b = share_;
    return (1.0 - b) * (1.0 - b) + b * b + 2.0 * b * (1.0 - b) * cosine;
  }

 private:
  std::string name_;
  std::size_t peers_;
  std::uint64_t key_;
  std::vector<std::size_t> shifts_;
  double share_;
};

class OneDirectional final : public EquiDyn {
 public:
  using EquiDyn::EquiDyn;

  [[nodiscard]] Traits traits() const override {
    return {.symmetric = size() <= 2, .row_stochastic = true, .column_stochastic = true};
  }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override {
    const std::size_t n = size();
    ensure(rank < n, "a row belongs to a rank", rank, n);
    if (n == 1) {
      return {};
    }
    const std::size_t shift = draw(round).shift;
    return {.self_weight = 1.0 - share(),
            .receives = {{(rank + n - shift) % n, share()}},
            .sends = {{(rank + shift) % n, share()}}};
  }

  /// Over all u every mode off the mean sees the mean cosine -1/(n-1).
  [[nodiscard]] std::optional<double> expected_contraction() const override {
    if (size() == 1) {
      return 0.0;
    }
    if (draws_from_all()) {
      return contraction(-1.0 / static_cast<double>(size() - 1));
    }
    std::vector<Shift> weighted;
    const std::vector<std::size_t> list = equally_likely();
    weighted.reserve(list.size());
    for (const std::size_t shift : list) {
      weighted.push_back({shift, 1.0 / static_cast<double>(list.size())});
    }
    return contraction(largest_cosine_sum(size(), weighted));
  }
};

class OneUndirected final : public EquiDyn {
 public:
  using EquiDyn::EquiDyn;

  [[nodiscard]] Traits traits() const override {
    return {.symmetric = true, .row_stochastic = true, .column_stochastic = true};
  }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override {
    ensure(rank < size(), "a row belongs to a rank", rank, size());
    if (size() == 1) {
      return {};
    }
    const Draw drawn = draw(round);
    const std::size_t partner = greedy_matching(size(), drawn.shift, drawn.start)[rank];
    if (partner == rank) {
      return {};
    }
    return {.self_weight = 1.0 - share(),
            .receives = {{partner, share()}},
            .sends = {{partner, share()}}};
  }

  [[nodiscard]] std::optional<double> expected_contraction() const override;
};

/// A matching is its own inverse, so W^T W = ((1-b)^2 + b^2) I + 2 b (1-b) M_t; over uniform starts
/// E[M_t] is a circulant, whose entry at distance d is the chance of a partner at that distance.
/// Enumerated over all u: n^2 steps, hence the limit.
std::optional<double> OneUndirected::expected_contraction() const {
  const std::size_t n = size();
  if (n == 1) {
    return 0.0;
  }
  if (n > kSpectralLimit) {
    return std::nullopt;
  }
  std::vector<Shift> chances(n);
  const std::vector<std::size_t> shifts = equally_likely();
  for (const std::size_t shift : shifts) {
    const std::vector<std::size_t> partners = greedy_matching(n, shift, 0);
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t distance = (partners[rank] + n - rank) % n;
      chances[distance].offset = distance;
      chances[distance].weight += 1.0 / static_cast<double>(n * shifts.size());
    }
  }
  return contraction(largest_cosine_sum(n, chances));
}

template <class Form>
Made make_dynamic(const Request& request) {
  Arguments arguments(request);
  const auto count = arguments.count("M");
  const auto eta = arguments.fraction("eta");
  arguments.finish();
  require_own_weights(request);
  const double n = static_cast<double>(request.peers);
  const double share = eta ? *eta * (1.0 - 1.0 / n) : 0.5;
  const bool from_list = count.has_value() && request.peers > 1;
  return std::make_shared<Form>(
      request,
      from_list ? drawn_shifts(request, *count) : std::vector<std::size_t>(),
      request.weights == WeightRule::lazy ? 0.5 * share : share);
}

}  // namespace

std::vector<std::size_t> greedy_matching(std::size_t peers, std::size_t shift, std::size_t start) {
  ensure(shift >= 1 && shift < peers && start < peers, "a shift and a start", shift, start, peers);
  std::vector<std::size_t> partners(peers);
  std::iota(partners.begin(), partners.end(), std::size_t{0});
  for (std::size_t step = 0; step < peers; ++step) {
    const std::size_t i = (start + step) % peers;
    const std::size_t j = (i + shift) % peers;
    if (partners[i] == i && partners[j] == j) {
      partners[i] = j;
      partners[j] = i;
    }
  }
  return partners;
}

Made make_d_equistatic(const Request& request) {
  return make_static(request, false);
}

Made make_u_equistatic(const Request& request) {
  return make_static(request, true);
}

Made make_od_equidyn(const Request& request) {
  return make_dynamic<OneDirectional>(request);
}

Made make_ou_equidyn(const Request& request) {
  return make_dynamic<OneUndirected>(request);
}

}  // namespace starling::topology
