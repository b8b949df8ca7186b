#include "starling/trainer/consensus_errors.hpp"

#include <cmath>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::trainer {

namespace {

/// The mean of vectors that lie one behind the other.
std::vector<double> mean_of(std::span<const float> vectors, std::size_t elements) {
  std::vector<double> mean(elements);
  if (elements == 0) {
    return mean;
  }
  const std::size_t count = vectors.size() / elements;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto vector = vectors.subspan(rank * elements, elements);
    for (std::size_t k = 0; k < elements; ++k) {
      mean[k] += double{vector[k]};
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(count);
  }
  return mean;
}

/// sum_i ||x_i - point||^2.
double squared_distances(std::span<const float> vectors, const std::vector<double>& point) {
  double sum = 0.0;
  for (std::size_t at = 0; at < vectors.size(); at += point.size()) {
    for (std::size_t k = 0; k < point.size(); ++k) {
      const double difference = double{vectors[at + k]} - point[k];
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace

ConsensusErrors::ConsensusErrors(std::span<const float> initial,
                                 std::size_t peers,
                                 std::uint64_t rounds)
    : peers_(peers), by_round_(rounds) {
  ensure(peers > 0 && initial.size() % peers == 0, "vectors of one size", initial.size(), peers);
  elements_ = initial.size() / peers;
  initial_mean_ = mean_of(initial, elements_);
}

void ConsensusErrors::put(std::uint64_t round, std::size_t rank, std::span<const float> estimate) {
  ensure(round < by_round_.size() && rank < peers_, "no such round or rank", round, rank);
  ensure(estimate.size() == elements_, "an estimate has the size of the vectors", estimate.size());
  Open complete;
  {
    const std::lock_guard lock(mutex_);
    Open& open = open_[round];
    if (open.vectors.empty() && open.missing == 0) {
      open.vectors.resize(peers_ * elements_);
      open.missing = peers_;
    }
    copy(estimate, std::span(open.vectors).subspan(rank * elements_, elements_));
    if (--open.missing > 0) {
      return;
    }
    complete = std::move(open);
    open_.erase(round);
  }
  by_round_[round] = errors_of(complete.vectors);
}

RoundErrors ConsensusErrors::errors_of(std::span<const float> vectors) const {
  if (elements_ == 0) {
    return {};
  }
  const auto elements = static_cast<double>(elements_);
  const double around_mean = squared_distances(vectors, mean_of(vectors, elements_)) / elements;
  const double around_initial = squared_distances(vectors, initial_mean_) / elements;
  return {around_mean / static_cast<double>(peers_),
          std::sqrt(around_initial / static_cast<double>(peers_)),
          std::sqrt(around_mean)};
}

}  // namespace starling::trainer
