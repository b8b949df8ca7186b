// What decides the result of a run, as text: two runs with the same text are the same run.
#pragma once

#include <string>

namespace starling::trainer {

struct Plan;

/// One "name = value" a line, names and values as on the command line; only what is in force. The
/// number of peers is left out, and how long the run is, where it writes and how long it waits: a
/// resumed run may change them. @pre the plan has its topology, its data and its steps
std::string fingerprint_of(const Plan& plan);

}  // namespace starling::trainer
