#include "starling/topology/circulant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::topology {

namespace {

std::vector<Shift> merged(std::size_t peers, std::vector<Shift> shifts) {
  for (Shift& shift : shifts) {
    shift.offset %= peers;
  }
  std::stable_sort(shifts.begin(), shifts.end(), [](const Shift& a, const Shift& b) {
    return a.offset < b.offset;
  });
  std::vector<Shift> kept;
  double sum = 0.0;
  for (const Shift& shift : shifts) {
    ensure(shift.weight > 0.0, "a shift has a positive weight", shift.offset, shift.weight);
    sum += shift.weight;
    if (shift.offset == 0) {
      continue;
    }
    if (!kept.empty() && kept.back().offset == shift.offset) {
      kept.back().weight += shift.weight;
    } else {
      kept.push_back(shift);
    }
  }
  ensure(sum < 1.0 + 1e-12, "the shifts of a round carry at most weight 1", sum);
  return kept;
}

bool is_symmetric(std::size_t peers, const std::vector<Shift>& shifts) {
  return std::all_of(shifts.begin(), shifts.end(), [&](const Shift& shift) {
    return std::find(shifts.begin(), shifts.end(), Shift{peers - shift.offset, shift.weight}) !=
           shifts.end();
  });
}

}  // namespace

Circulant::Circulant(std::string name, std::size_t peers, std::vector<std::vector<Shift>> rounds)
    : name_(std::move(name)), peers_(peers), rounds_(std::move(rounds)) {
  ensure(peers_ >= 1 && !rounds_.empty(), "a circulant has peers and rounds", peers_);
  traits_ = {.symmetric = true, .row_stochastic = true, .column_stochastic = true};
  for (auto& shifts : rounds_) {
    shifts = merged(peers_, std::move(shifts));
    traits_.symmetric = traits_.symmetric && is_symmetric(peers_, shifts);
  }
}

MixingRow Circulant::row(std::uint64_t round, std::size_t rank) const {
  ensure(rank < peers_, "a row belongs to a rank", rank, peers_);
  const std::vector<Shift>& shifts = rounds_[round % rounds_.size()];
  MixingRow row;
  row.receives.reserve(shifts.size());
  row.sends.reserve(shifts.size());
  const auto from = [&](std::size_t offset) {
    return offset <= rank ? rank - offset : rank + peers_ - offset;
  };
  const auto to = [&](std::size_t offset) {
    return offset < peers_ - rank ? rank + offset : rank + offset - peers_;
  };
  for (const Shift& shift : shifts) {
    row.receives.push_back({from(shift.offset), shift.weight});
    row.sends.push_back({to(shift.offset), shift.weight});
  }
  // Ascending offsets give senders that fall and receivers that rise, each with one jump where the
  // ring closes; turning the lists at the jump orders them without a sort.
  std::reverse(row.receives.begin(), row.receives.end());
  const auto turn = [](std::vector<Link>& links) {
    const auto jump = std::is_sorted_until(
        links.begin(), links.end(), [](const Link& a, const Link& b) { return a.rank < b.rank; });
    std::rotate(links.begin(), jump, links.end());
  };
  turn(row.receives);
  turn(row.sends);
  row.self_weight = remainder_of(row.receives);
  return row;
}

std::vector<Shift> equal_shares(std::size_t peers,
                                const std::vector<std::size_t>& offsets,
                                WeightRule rule) {
  std::vector<std::size_t> distinct;
  for (const std::size_t offset : offsets) {
    if (offset % peers != 0) {
      distinct.push_back(offset % peers);
    }
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const double share =
      (rule == WeightRule::lazy ? 0.5 : 1.0) / static_cast<double>(distinct.size() + 1);
  std::vector<Shift> shifts;
  shifts.reserve(distinct.size());
  for (const std::size_t offset : distinct) {
    shifts.push_back({offset, share});
  }
  return shifts;
}

double largest_cosine_sum(std::size_t peers, std::span<const Shift> shifts) {
  ensure(peers >= 2, "one peer has no eigenvalue off the mean", peers);
  std::vector<double> cosines(peers);
  for (std::size_t j = 0; j < peers; ++j) {
    cosines[j] =
        std::cos(2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(peers));
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k <= peers / 2; ++k) {  // k and n - k give the same sum
    double sum = 0.0;
    for (const Shift& shift : shifts) {
      sum += shift.weight * cosines[k * (shift.offset % peers) % peers];
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace starling::topology
