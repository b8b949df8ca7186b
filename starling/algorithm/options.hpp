// The options of all algorithms in one aggregate; which of them an algorithm takes stands in the registry.
#pragma once

#include <cstdint>
#include <string>

namespace starling::algorithm {

/// When the gradient meets the average (dsgd).
enum class Order : std::uint8_t {
  adapt_then_combine,       ///< x <- W (x - lr g(x))
  combine_while_computing,  ///< x <- W x - lr g(x): the exchange runs beside the gradient
};

/// What a synchronous gossip algorithm does when a neighbour does not answer.
enum class OnLoss : std::uint8_t {
  stop,      ///< everybody stops with one error
  continue_  ///< the neighbour's weight stays home, the run goes on and counts it
};

struct AlgorithmOptions {
  std::string topology = "exponential";
  std::string weights = "auto";
  std::string topology_file;         ///< for topology "file"
  std::string collective = "auto";   ///< algorithm of the exact averages
  std::uint64_t period = 1;          ///< local-sgd, gossip-pga: steps between averages (H)
  Order order = Order::adapt_then_combine;
  OnLoss on_loss = OnLoss::stop;
};

}  // namespace starling::algorithm
