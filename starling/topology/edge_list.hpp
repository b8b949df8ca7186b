// A topology written down in a file.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// file:PATH: one `from to weight` a line, weight = w_(to,from), a number or a fraction such as
/// 1/3; # starts a comment. A first line `symmetric` makes every line count both ways, `directed`
/// (the default) one way. `i i weight` gives a self weight; one not given completes its row to 1. A
/// file without any weights takes them from the weight rule. docs/topologies.md has the whole
/// format.
/// @throws ConfigError naming file and line, what was expected and what was found
Made make_from_file(const Request& request);

}  // namespace starling::topology
