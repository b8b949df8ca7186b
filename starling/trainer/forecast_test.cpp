#include "starling/trainer/forecast.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace starling::trainer {
namespace {

/// Of 40 steps of 0.1 s on 2 peers with 75 samples each, in batches of 30: 3 steps an epoch.
Forecast forecast_with(const std::function<void(Experiment&)>& change) {
  Experiment experiment;
  experiment.peers = 2;
  experiment.model = "logistic";
  experiment.data = "toy:samples=150:test=40";
  experiment.batch = 30;
  experiment.steps = 40;
  experiment.step_seconds = 0.1;
  change(experiment);
  return forecast_of(make_plan(experiment, TimeKind::simulated), 40);
}

TEST(Forecast, ShortBatchesCostLess) {
  // 75 samples in room for 90: 5/6 of 4 s.
  EXPECT_NEAR(seconds(forecast_with([](Experiment&) {}).computing), 4.0 * 75 / 90, 1e-8);
  EXPECT_NEAR(
      seconds(forecast_with([](Experiment& e) { e.model = "quadratic"; }).computing), 4.0, 1e-8);
}

TEST(Forecast, CountsAnExchangeAStepOrAPeriod) {
  EXPECT_EQ(forecast_with([](Experiment&) {}).exchanges, 40.0);
  EXPECT_EQ(forecast_with([](Experiment& e) { e.algorithm = "gossip-pga"; }).exchanges, 40.0);
  EXPECT_EQ(forecast_with([](Experiment& e) { e.algorithm = "local-sgd"; }).exchanges, 5.0);
  EXPECT_EQ(forecast_with([](Experiment& e) { e.peers = 1; }).exchanges, 0.0);
}

}  // namespace
}  // namespace starling::trainer
