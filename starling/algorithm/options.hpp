// The options of all algorithms in one aggregate; which of them an algorithm takes stands in the
// registry.
#pragma once

#include <cstdint>
#include <string>

#include "starling/core/policy.hpp"

namespace starling::algorithm {

/// When the gradient meets the average (dsgd).
enum class Order : std::uint8_t {
  adapt_then_combine,       ///< x <- W (x - lr g(x))
  combine_while_computing,  ///< x <- W x - lr g(x): the exchange runs beside the gradient
};

/// As on the command line.
constexpr const char* to_string(Order order) noexcept {
  return order == Order::adapt_then_combine ? "adapt-then-combine" : "combine-while-computing";
}

struct AlgorithmOptions {
  std::string topology;  ///< empty: the algorithm's default
  std::string weights = "auto";
  std::string collective = "auto";  ///< algorithm of the exact averages
  std::uint64_t period = 0;         ///< steps between averages (H); 0: the algorithm's default
  Order order = Order::adapt_then_combine;
  OnLoss on_loss = OnLoss::stop;
  std::uint64_t ports = 2;  ///< partners of a peer in a round (dsgd-ceca): 1 | 2
};

}  // namespace starling::algorithm
