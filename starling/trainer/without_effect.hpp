// Values that are right by themselves and yet do nothing in a run of this length, on this data.
#pragma once

namespace starling::trainer {

struct Plan;

/// Adds a note for each value that has no effect. Such a value may stand in a file that serves long
/// runs too, so it is said, not refused. @pre the plan has its data and its steps
void note_without_effect(Plan& plan);

}  // namespace starling::trainer
