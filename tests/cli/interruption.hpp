// A run that is interrupted at some moment: what holds for every signal and every moment.
#pragma once

#include <cstdint>

namespace starling::testing {

/// Starts a run of 8 peers that would last for days, sends it one of SIGINT, SIGTERM and SIGHUP
/// after up to 300 ms (drawn from `seed`), and expects a clean end.
void interrupt_at_random_moment(std::uint64_t seed);

}  // namespace starling::testing
