// What a run does about losses and about numbers that are not finite: chosen by the user, obeyed by
// every algorithm.
#pragma once

#include <cstdint>
#include <string>

namespace starling {

/// About a number that is NaN or infinite in somebody's contribution.
enum class NotFinite : std::uint8_t {
  stop,        ///< the run ends, naming peer and tensor
  skip_peer,   ///< the contribution is left out, the others go on
  skip_round,  ///< nobody changes anything in this step
};

/// About a neighbour that does not answer, in algorithms that can live without it.
enum class OnLoss : std::uint8_t {
  stop,       ///< everybody stops with one error
  continue_,  ///< its weight stays home, the run goes on and counts it
};

/// As on the command line: "skip-peer", "continue".
const char* to_string(NotFinite policy) noexcept;
const char* to_string(OnLoss policy) noexcept;

/// What people can do about numbers that are not finite under this policy: the end of a message.
std::string advice(NotFinite policy);

}  // namespace starling
