#include "starling/topology/fixed_rounds.hpp"

#include <cmath>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/topology/weights.hpp"

namespace starling::topology {

namespace {

// Weights are numbers of order 1/n, n of them a row, each rounded once: 1e-12 leaves room for n =
// 4096.
bool sums_to_one(double self_weight, const std::vector<Link>& links) {
  return std::abs(remainder_of(links) - self_weight) <= 1e-12;
}

}  // namespace

FixedRounds::FixedRounds(std::string name, std::vector<std::vector<MixingRow>> rounds)
    : name_(std::move(name)), rounds_(std::move(rounds)) {
  ensure(!rounds_.empty() && !rounds_.front().empty(), "a schedule has rounds and ranks", name_);
  traits_ = {.symmetric = true, .row_stochastic = true, .column_stochastic = true};
  for (const auto& rows : rounds_) {
    ensure(rows.size() == size(), "every round has a row for every rank", rows.size(), size());
    for (const MixingRow& row : rows) {
      traits_.symmetric = traits_.symmetric && row.receives == row.sends;
      traits_.row_stochastic = traits_.row_stochastic && sums_to_one(row.self_weight, row.receives);
      traits_.column_stochastic =
          traits_.column_stochastic && sums_to_one(row.self_weight, row.sends);
    }
  }
}

MixingRow FixedRounds::row(std::uint64_t round, std::size_t rank) const {
  ensure(rank < size(), "a row belongs to a rank", rank, size());
  return rounds_[round % rounds_.size()][rank];
}

}  // namespace starling::topology
