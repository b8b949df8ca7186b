// Tests of a model that may be cut short.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "starling/objective/objective.hpp"

namespace starling::trainer {

/// How long after an interrupt the peers' own models are still tested, and the averaged one.
inline constexpr std::chrono::seconds kPatienceWithOwn{1};
inline constexpr std::chrono::seconds kPatienceWithAverage{2};

/// Evaluates piece by piece and asks before each one whether to give up; then the result is that of
/// the samples so far, and Evaluation::samples tells how many. Without samples there is one piece.
objective::Evaluation evaluate_in_pieces(objective::Objective& objective,
                                         std::span<const float> point,
                                         const objective::Batch& batch,
                                         const std::function<bool()>& give_up);

}  // namespace starling::trainer
