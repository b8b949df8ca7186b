// How a payload reaches whoever reads it: piece by piece.
#pragma once

#include <cstddef>
#include <span>

#include "starling/core/function_ref.hpp"

namespace starling {

/// Takes a payload piece by piece, in order, straight from the transport's memory. Every piece
/// starts and (but for the last) ends on a multiple of 8 bytes of the payload and is aligned for
/// float.
using PieceSink = FunctionRef<void(std::size_t offset, std::span<const std::byte> piece)>;

/// A sink that goes over a piece more than once finds it in the second-level cache.
inline constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

/// Gives all of `payload` to `sink`, in pieces of kPieceBytes; an empty one as one empty piece. A
/// payload that is not aligned for float is copied first.
void feed(std::span<const std::byte> payload, PieceSink sink);

}  // namespace starling
