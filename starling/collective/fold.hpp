// How algorithms made for 2^L ranks treat any other number: the first 2e ranks pair up and one of
// each pair sits the middle out.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

class Fold {
 public:
  /// Which rank of a pair (2i, 2i+1) takes part in the middle.
  enum class Stays : std::uint8_t { even, odd };

  Fold(std::size_t peers, Stays stays)
      : core_size_(std::bit_floor(peers)), extra_(peers - core_size_), stays_(stays) {}

  /// 2^floor(log2 n): ranks of the middle.
  [[nodiscard]] std::size_t core_size() const { return core_size_; }

  /// Pairs.
  [[nodiscard]] std::size_t extra() const { return extra_; }

  [[nodiscard]] bool is_paired(std::size_t rank) const { return rank < 2 * extra_; }

  /// The rank in the middle; nothing for those who sit it out.
  [[nodiscard]] std::optional<std::size_t> core_rank(std::size_t rank) const {
    if (!is_paired(rank)) {
      return rank - extra_;
    }
    if (rank % 2 != offset()) {
      return std::nullopt;
    }
    return rank / 2;
  }

  /// The member with that rank in the middle.
  [[nodiscard]] std::size_t member(std::size_t core_rank) const {
    return core_rank < extra_ ? 2 * core_rank + offset() : core_rank + extra_;
  }

 private:
  std::size_t core_size_;
  std::size_t extra_;
  Stays stays_;

  [[nodiscard]] std::size_t offset() const { return stays_ == Stays::odd ? 1 : 0; }
};

}  // namespace starling::collective
