// The schedule of CECA: the exact mean after ceil(log2 n) rounds of one vector sent and one
// received, for any n (Ding et al. 2023, arXiv:2306.00256). Not a mixing matrix over models: every
// peer carries a second vector, and the binary digits of n - 1 say which of the two travels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::topology {

/// How many partners a peer has in a round.
enum class CecaPorts : std::uint8_t {
  one = 1,  ///< it sends to the one it receives from; even n (and 1)
  two = 2,  ///< it sends to one and receives from another; any n
};

/// What one peer does in one round with x, the model, and y, the mean of those it has heard of
/// without its own; c is what it receives.
struct CecaExchange {
  std::size_t to = 0;        ///< rank that gets x if sends_model, else y
  std::size_t from = 0;      ///< rank that c comes from
  bool sends_model = true;   ///< the digit b
  std::size_t covered = 0;   ///< m: peers that y is the mean of; 0 at the start of a cycle
  double model_share = 0.0;  ///< x <- (1 - model_share) x + model_share c
  double other_share = 0.0;  ///< y <- (1 - other_share) y + other_share c; 1 at the start

  friend bool operator==(const CecaExchange&, const CecaExchange&) = default;
};

/// One cycle. b_0 .. b_{tau-1} are the binary digits of n - 1, most significant first, and m starts
/// at 0 and follows m <- 2m + b. In round r everybody receives
///   with two ports from i - m - b;
///   with one from i + 2m + 1 if i is odd, from i - 2m - 1 if it is even (all modulo n),
/// x where b = 1 and y where b = 0, and takes
///   b = 1: x <- (x + c)/2,                y <- (m y + (m+1) c)/(2m+1)
///   b = 0: x <- ((m+1) x + m c)/(2m+1),   y <- (y + c)/2.
/// After the cycle every x is the mean of all x that it began with; y need not be reset.
class CecaSchedule {
 public:
  /// @throws ConfigError for one port and an odd n above 1, naming what takes it
  /// @pre peers >= 1
  CecaSchedule(std::size_t peers, CecaPorts ports);

  [[nodiscard]] std::size_t size() const noexcept { return peers_; }

  [[nodiscard]] CecaPorts ports() const noexcept { return ports_; }

  /// tau = ceil(log2 n), the bit length of n - 1: 0 for one peer.
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_.size(); }

  /// What `rank` does in round `round` of a cycle. @pre round < rounds(), rank < size()
  [[nodiscard]] CecaExchange exchange(std::size_t round, std::size_t rank) const;

 private:
  struct Round {
    bool digit = true;
    std::size_t covered = 0;
  };

  std::size_t peers_;
  CecaPorts ports_;
  std::vector<Round> rounds_;
};

}  // namespace starling::topology
