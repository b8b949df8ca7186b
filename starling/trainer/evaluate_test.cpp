#include "starling/trainer/evaluate.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "starling/objective/catalog.hpp"

namespace starling::trainer {
namespace {

class InPieces : public ::testing::Test {
 protected:
  InPieces() {
    std::iota(samples_.begin(), samples_.end(), 0U);
    objective_ = objective::make_objective({.name = "logistic"}, data_.train.get());
    point_.assign(objective_->layout().elements(), 0.1F);
  }

  objective::Evaluation evaluate(const std::function<bool()>& give_up) {
    return evaluate_in_pieces(*objective_, point_, {data_.train.get(), samples_}, give_up);
  }

  objective::DataPair data_ = objective::load_data({.name = "toy:samples=700"});
  std::vector<std::uint32_t> samples_ = std::vector<std::uint32_t>(700);
  std::unique_ptr<objective::Objective> objective_;
  std::vector<float> point_;
};

TEST_F(InPieces, TheWholeIsTheSumOfThePieces) {
  const objective::Evaluation whole = objective_->evaluate(point_, {data_.train.get(), samples_});
  const objective::Evaluation summed = evaluate([] { return false; });
  EXPECT_EQ(summed.samples, 700U);
  EXPECT_EQ(summed.correct, whole.correct);
  EXPECT_TRUE(summed.has_accuracy);
  // 700 additions in double, in another order.
  EXPECT_NEAR(summed.loss_sum, whole.loss_sum, 700 * 1e-15 * whole.loss_sum);
}

TEST_F(InPieces, GivingUpLeavesWhatWasTested) {
  int asked = 0;
  EXPECT_EQ(evaluate([&asked] { return ++asked > 1; }).samples, 256U);
  EXPECT_EQ(evaluate([] { return true; }).samples, 0U);
}

TEST(InOnePiece, AProblemWithoutSamplesIsTestedOnce) {
  const auto quadratic = objective::make_objective({.name = "quadratic:d=3"}, nullptr);
  const std::vector<float> point(3, 0.0F);
  EXPECT_EQ(evaluate_in_pieces(*quadratic, point, {}, [] { return false; }).samples, 1U);
  EXPECT_EQ(evaluate_in_pieces(*quadratic, point, {}, [] { return true; }).samples, 0U);
}

}  // namespace
}  // namespace starling::trainer
