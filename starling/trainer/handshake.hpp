// Before the first training message: do all peers have the same model?
#pragma once

#include "starling/core/layout.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::trainer {

/// Compares the names, order, shapes and types of every peer's tensors with those of rank 0.
/// Returns at every peer, or throws the same ConfigError at every peer: it names the first rank
/// that differs and its first different tensor. 3 ceil(log2 n) messages one after the other;
/// nothing is sent if n = 1.
/// @throws ConfigError; PeerLost if a peer does not answer by `deadline`
void agree_on_layout(const Group& group, const Layout& layout, Deadline deadline);

}  // namespace starling::trainer
