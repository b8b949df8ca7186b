#include "starling/topology/exponential.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "starling/core/random.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/circulant.hpp"

namespace starling::topology {

namespace {

enum class Order { cyclic, permutation, uniform };

Order order_of(const Request& request) {
  static const std::array<std::string, 3> words{"cyclic", "permutation", "uniform"};
  if (!request.argument) {
    return Order::cyclic;
  }
  const auto found = std::find(words.begin(), words.end(), *request.argument);
  if (found == words.end()) {
    refuse(request,
           "unknown order '" + *request.argument + "'" + suggestion(*request.argument, words));
  }
  return static_cast<Order>(found - words.begin());
}

/// The one-peer exponential graph with its offsets in an order of chance.
class Shuffled final : public Topology {
 public:
  Shuffled(const Request& request, std::vector<std::vector<Shift>> rounds, Order order)
      : order_(order),
        key_(stream_key(stream_key("topology/exponential"), request.seed)),
        share_(rounds.front().front().weight),
        cycle_(request.name, request.peers, std::move(rounds)) {}

  [[nodiscard]] const std::string& name() const override { return cycle_.name(); }

  [[nodiscard]] std::size_t size() const override { return cycle_.size(); }

  [[nodiscard]] Traits traits() const override { return cycle_.traits(); }

  [[nodiscard]] std::uint64_t period() const override { return 0; }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override {
    return cycle_.row(exponent(round), rank);
  }

  [[nodiscard]] std::optional<double> expected_contraction() const override;

 private:
  Order order_;
  std::uint64_t key_;
  double share_;
  Circulant cycle_;

  /// s of 2^s.
  [[nodiscard]] std::uint64_t exponent(std::uint64_t round) const;
};

std::uint64_t Shuffled::exponent(std::uint64_t round) const {
  const std::uint64_t tau = cycle_.period();
  if (order_ == Order::uniform) {
    return Random(key_, round).below(tau);
  }
  std::vector<std::uint64_t> order(tau);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  Random(key_, round / tau).shuffle(std::span(order));
  return order[round % tau];
}

/// W = (1-a) I + a P, so W^T W = ((1-a)^2 + a^2) I + a(1-a)(P + P^T). Rounds of one cycle of a
/// permutation depend on each other, so one round tells nothing of several.
std::optional<double> Shuffled::expected_contraction() const {
  if (order_ != Order::uniform) {
    return std::nullopt;
  }
  const std::uint64_t tau = cycle_.period();
  std::vector<Shift> equally_likely;
  for (std::uint64_t s = 0; s < tau; ++s) {
    equally_likely.push_back({std::size_t{1} << s, 1.0 / static_cast<double>(tau)});
  }
  const double a = share_;
  return (1.0 - a) * (1.0 - a) + a * a +
         2.0 * a * (1.0 - a) * largest_cosine_sum(size(), equally_likely);
}

}  // namespace

Made make_static_exponential(const Request& request) {
  require_no_argument(request);
  std::vector<std::size_t> offsets;
  for (std::size_t s = 0; s < ceil_log2(request.peers); ++s) {
    offsets.push_back(std::size_t{1} << s);
  }
  return std::make_shared<Circulant>(
      request.name,
      request.peers,
      std::vector<std::vector<Shift>>{equal_shares(request.peers, offsets, request.weights)});
}

Made make_one_peer_exponential(const Request& request) {
  const Order order = order_of(request);
  std::vector<std::vector<Shift>> rounds;
  for (std::size_t s = 0; s < ceil_log2(request.peers); ++s) {
    rounds.push_back(equal_shares(request.peers, {std::size_t{1} << s}, request.weights));
  }
  if (rounds.empty()) {
    rounds.emplace_back();
  }  // one peer: one idle round
  if (order == Order::cyclic || rounds.size() == 1) {
    return std::make_shared<Circulant>(request.name, request.peers, std::move(rounds));
  }
  return std::make_shared<Shuffled>(request, std::move(rounds), order);
}

}  // namespace starling::topology
