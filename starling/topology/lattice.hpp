// Grids and tori in two and three dimensions.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// grid:AxB, grid:AxBxC: rank = (a B + b) C + c, linked to the ranks one step away along an axis.
/// Axes of extent 1 have no edges. Without an argument: the most square AxB for n.
Made make_grid(const Request& request);

/// torus:AxB, torus:AxBxC: a grid whose axes close to rings. An axis of extent 2 has one edge, not
/// two (a 2x2 torus is the ring of four).
Made make_torus(const Request& request);

}  // namespace starling::topology
