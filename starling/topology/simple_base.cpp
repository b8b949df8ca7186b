#include "starling/topology/simple_base.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::topology {

namespace {

using Arcs = std::vector<Arc>;
using Factors = std::vector<std::size_t>;

/// V_l: one digit of n in base k+1.
struct Block {
  Ranks ranks;                 ///< s_l of them
  std::size_t groups = 0;      ///< a_l
  std::size_t group_size = 0;  ///< (k+1)^{p_l}
  Factors of_block;            ///< of the hyper-hypercube over V_l
  Factors of_group;            ///< p_l factors k+1

  [[nodiscard]] Ranks group(std::size_t g) const { return ranks.part(g * group_size, group_size); }
};

/// Most significant digit first; digits 0 have no block.
std::vector<Block> blocks_of(const Ranks& ranks, std::size_t degree) {
  std::size_t power = 1;
  while (power <= ranks.count / (degree + 1)) {
    power *= degree + 1;
  }
  std::vector<Block> blocks;
  std::size_t placed = 0;
  for (; power >= 1; power /= degree + 1) {
    const std::size_t digit = (ranks.count - placed) / power;
    if (digit == 0) {
      continue;
    }
    Block block{.ranks = ranks.part(placed, digit * power), .groups = digit, .group_size = power};
    block.of_block = hyper_factors(block.ranks.count, degree).value();
    block.of_group = hyper_factors(power, degree).value();
    placed += block.ranks.count;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// Everybody of `members` with everybody, in consecutive chunks of at most `size`.
void add_chunks(const std::vector<std::size_t>& members, std::size_t size, Arcs& arcs) {
  for (std::size_t begin = 0; begin < members.size(); begin += size) {
    const std::size_t end = std::min(begin + size, members.size());
    const double share = 1.0 / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = begin; j < end; ++j) {
        if (i != j) {
          arcs.push_back({members[j], members[i], share});
        }
      }
    }
  }
}

class SimpleBase {
 public:
  SimpleBase(const Ranks& ranks, std::size_t degree)
      : degree_(degree), blocks_(blocks_of(ranks, degree)) {}

  [[nodiscard]] std::vector<Arcs> rounds() const {
    const std::size_t first_donation = blocks_.front().of_block.size();  // m_1
    const std::size_t length = first_donation + 1 + blocks_.front().of_group.size();
    std::vector<Arcs> rounds(length);
    for (std::size_t q = 0; q < length; ++q) {
      for (std::size_t l = 0; l < blocks_.size(); ++l) {
        if (q < first_donation) {
          add_round_of_block(blocks_[l], q, rounds[q]);
        } else {
          add_later_round(l, q - first_donation, rounds[q]);
        }
      }
    }
    return rounds;
  }

 private:
  std::size_t degree_;
  std::vector<Block> blocks_;

  static void add_round_of_block(const Block& block, std::size_t round, Arcs& arcs) {
    if (!block.of_block.empty()) {
      add_hyper_round(block.ranks, block.of_block, round % block.of_block.size(), arcs);
    }
  }

  /// Block l in the round that is `step` behind the first donation: before its turn it takes, in
  /// its turn it gives, then its groups average.
  void add_later_round(std::size_t l, std::size_t step, Arcs& arcs) const {
    const bool has_takers = l + 1 < blocks_.size();
    if (step < l) {
      return;  // the giver adds the edges
    }
    if (step == l && has_takers) {
      add_donation(l, arcs);
      return;
    }
    const Block& block = blocks_[l];
    const std::size_t round = step - l - (has_takers ? 1 : 0);
    if (block.of_group.empty()) {  // groups of one
      add_round_of_block(block, round, arcs);
      return;
    }
    for (std::size_t g = 0; g < block.groups; ++g) {
      add_hyper_round(block.group(g), block.of_group, round % block.of_group.size(), arcs);
    }
  }

  /// Every rank of the later blocks takes the last member of each group of V_l that is still free;
  /// those nobody takes average among themselves.
  void add_donation(std::size_t l, Arcs& arcs) const {
    const Block& donor = blocks_[l];
    std::vector<std::size_t> takers;
    for (std::size_t later = blocks_.size() - 1; later > l; --later) {
      for (std::size_t k = 0; k < blocks_[later].ranks.count; ++k) {
        takers.push_back(blocks_[later].ranks.at(k));
      }
    }
    const double weight = static_cast<double>(donor.group_size) /
                          static_cast<double>(donor.ranks.count + takers.size());
    std::vector<std::size_t> free;
    for (std::size_t g = 0; g < donor.groups; ++g) {
      const Ranks group = donor.group(g);
      for (std::size_t k = 0; k < group.count - takers.size(); ++k) {
        free.push_back(group.at(k));
      }
      for (std::size_t t = 0; t < takers.size(); ++t) {
        const std::size_t taken = group.at(group.count - 1 - t);
        arcs.push_back({taken, takers[t], weight});
        arcs.push_back({takers[t], taken, weight});
      }
    }
    add_chunks(free, degree_ + 1, arcs);
  }
};

}  // namespace

std::vector<std::vector<Arc>> simple_base_rounds(const Ranks& ranks, std::size_t degree) {
  ensure(ranks.count >= 1 && degree >= 1, "ranks and a degree", ranks.count, degree);
  const std::size_t usable = std::min(degree, std::max<std::size_t>(1, ranks.count - 1));
  const auto factors = hyper_factors(ranks.count, usable);
  if (!factors) {
    return SimpleBase(ranks, usable).rounds();
  }
  std::vector<Arcs> rounds(factors->size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    add_hyper_round(ranks, *factors, round, rounds[round]);
  }
  return rounds;
}

Made make_simple_base(const Request& request) {
  const std::size_t degree = degree_of(request, 1);
  require_own_weights(request);
  return make_arcs(request, simple_base_rounds({.count = request.peers}, degree));
}

}  // namespace starling::topology
