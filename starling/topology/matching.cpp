#include "starling/topology/matching.hpp"

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"

namespace starling::topology {

namespace {

class RandomMatching final : public Topology {
 public:
  explicit RandomMatching(const Request& request)
      : name_(request.name),
        peers_(request.peers),
        key_(stream_key(stream_key("topology/random-matching"), request.seed)),
        share_(request.weights == WeightRule::lazy ? 0.25 : 0.5) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return peers_; }

  [[nodiscard]] Traits traits() const override {
    return {.symmetric = true, .row_stochastic = true, .column_stochastic = true};
  }

  [[nodiscard]] std::uint64_t period() const override { return peers_ <= 2 ? 1 : 0; }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override;

  [[nodiscard]] std::optional<double> expected_contraction() const override;

 private:
  std::string name_;
  std::size_t peers_;
  std::uint64_t key_;
  double share_;
};

/// Neighbours in a shuffled list are paired; the last of an odd list idles.
MixingRow RandomMatching::row(std::uint64_t round, std::size_t rank) const {
  ensure(rank < peers_, "a row belongs to a rank", rank, peers_);
  std::vector<std::size_t> order(peers_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(key_, round);
  random.shuffle(std::span(order));
  for (std::size_t k = 0; k + 1 < peers_; k += 2) {
    if (order[k] != rank && order[k + 1] != rank) {
      continue;
    }
    const std::size_t partner = order[k] == rank ? order[k + 1] : order[k];
    return {
        .self_weight = 1.0 - share_, .receives = {{partner, share_}}, .sends = {{partner, share_}}};
  }
  return {};
}

/// W = (1-a) I + a M with M a symmetric permutation, so W^T W = ((1-a)^2 + a^2) I + 2a(1-a) M. For
/// even n E[M] = (11^T - I)/(n-1), which is -1/(n-1) off the mean; for odd n, idle ranks on the
/// diagonal, E[M] = J, which is 0 there.
std::optional<double> RandomMatching::expected_contraction() const {
  if (peers_ == 1) {
    return 0.0;
  }
  const double a = share_;
  const double kept = (1.0 - a) * (1.0 - a) + a * a;
  if (peers_ % 2 == 1) {
    return kept;
  }
  return kept - 2.0 * a * (1.0 - a) / static_cast<double>(peers_ - 1);
}

}  // namespace

Made make_random_matching(const Request& request) {
  require_no_argument(request);
  return std::make_shared<RandomMatching>(request);
}

}  // namespace starling::topology
