#include "starling/trainer/evaluate.hpp"

#include <algorithm>

namespace starling::trainer {

namespace {

/// As many as networks take at once: smaller pieces would cost speed, larger ones patience.
constexpr std::size_t kPiece = 256;

}  // namespace

objective::Evaluation evaluate_in_pieces(objective::Objective& objective,
                                         std::span<const float> point,
                                         const objective::Batch& batch,
                                         const std::function<bool()>& give_up) {
  if (batch.samples.empty()) {
    return give_up() ? objective::Evaluation{} : objective.evaluate(point, batch);
  }
  objective::Evaluation total;
  for (std::size_t begin = 0; begin < batch.samples.size() && !give_up(); begin += kPiece) {
    const std::size_t size = std::min(kPiece, batch.samples.size() - begin);
    const objective::Evaluation part =
        objective.evaluate(point, {batch.data, batch.samples.subspan(begin, size)});
    total.loss_sum += part.loss_sum;
    total.correct += part.correct;
    total.samples += part.samples;
    total.has_accuracy = part.has_accuracy;
  }
  return total;
}

}  // namespace starling::trainer
