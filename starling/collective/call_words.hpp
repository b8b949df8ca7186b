// What one call of a group operation is, as a number and in words: members must agree about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "starling/collective/data_type.hpp"
#include "starling/collective/reduction.hpp"
#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// What tells calls apart, besides the caller's round.
struct CallIdentity {
  const Request& request;
  std::string_view algorithm;
  std::size_t elements = 0;
  DataType type = DataType::f32;
  Reduction reduction = Reduction::sum;
  std::size_t message_bytes = 0;
};

/// Equal identities have equal digests, others hardly ever.
std::uint64_t digest_of(const CallIdentity& call);

/// One more value in a digest.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t value);

/// "all-reduce by ring of 12 elements (sum)".
std::string words_of(const CallIdentity& call);

}  // namespace starling::collective
