#include "starling/mixing/absences.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"

namespace starling::mixing {

namespace {

/// Takes the links to the absent out. @return the sum of their weights
double take_out(std::vector<topology::Link>& links, Absent absent) {
  double weight = 0.0;
  std::erase_if(links, [&](const topology::Link& link) {
    if (!is_absent(absent, link.rank)) {
      return false;
    }
    weight += link.weight;
    return true;
  });
  return weight;
}

}  // namespace

bool is_absent(Absent absent, std::size_t rank) {
  return std::binary_search(absent.begin(), absent.end(), rank);
}

Absences::Absences(std::size_t peers, std::uint64_t rounds, const FailureModel& model) {
  ensure(model.rate >= 0.0 && model.rate <= 1.0, "a rate is from 0 to 1", model.rate);
  if (model.rate == 0.0) {
    return;
  }
  const std::uint64_t key = stream_key(model.seed, stream_key("mixing/absences"));
  by_round_.resize(rounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t rank = 0; rank < peers; ++rank) {
      if (Random(key, stream_key(round, rank)).bernoulli(model.rate)) {
        by_round_[round].push_back(rank);
      }
    }
  }
}

Absent Absences::in(std::uint64_t round) const {
  return round < by_round_.size() ? Absent(by_round_[round]) : Absent();
}

topology::MixingRow row_without(topology::MixingRow row, std::size_t rank, Absent absent) {
  if (is_absent(absent, rank)) {
    return {};
  }
  if (!absent.empty()) {
    row.self_weight += take_out(row.receives, absent);
    take_out(row.sends, absent);
  }
  return row;
}

topology::MixingRow shares_without(topology::MixingRow row, std::size_t rank, Absent absent) {
  if (is_absent(absent, rank)) {
    return {};
  }
  if (!absent.empty()) {
    row.self_weight += take_out(row.sends, absent);
    take_out(row.receives, absent);
  }
  return row;
}

}  // namespace starling::mixing
