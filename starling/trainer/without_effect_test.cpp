#include "starling/trainer/without_effect.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/trainer/plan.hpp"

namespace starling::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The notes of a run of 20 steps on 2 peers with 75 samples each.
std::vector<std::string> notes_with(const std::function<void(Experiment&)>& change) {
  Experiment experiment;
  experiment.peers = 2;
  experiment.model = "logistic";
  experiment.data = "toy:samples=150:test=40";
  experiment.steps = 20;
  change(experiment);
  return make_plan(experiment, TimeKind::real).notes;
}

TEST(WithoutEffect, NothingIsSaidOfValuesThatHaveOne) {
  EXPECT_THAT(notes_with([](Experiment& e) {
                e.algorithm = "local-sgd";
                e.algorithm_options.period = 20;
                e.evaluate_every = 20;
                e.metrics_every = 20;
                e.checkpoint.every = 20;
                e.learning_rate.schedule = "step";
                e.learning_rate.drop_at = {0.95, 19.0};
                e.learning_rate.warmup_steps = 20;
                e.evaluation_samples = 40;
                e.batch = 75;
              }),
              IsEmpty());
}

TEST(WithoutEffect, WhatLiesBeyondTheRunIsNoted) {
  EXPECT_THAT(notes_with([](Experiment& e) {
                e.evaluate_every = 21;
                e.metrics_every = 30;
                e.checkpoint.every = 21;
              }),
              ElementsAre("evaluate-every 21: the run has 20 steps, its end alone is tested",
                          "metrics-every 30: the run has 20 steps, only start and end are measured",
                          "checkpoint-every 21: the run has 20 steps, the only checkpoint is that "
                          "of its end"));
  EXPECT_THAT(notes_with([](Experiment& e) {
                e.algorithm = "gossip-pga";
                e.algorithm_options.period = 21;
              }),
              ElementsAre("period 21: the run has 20 steps, its average never comes"));
  EXPECT_THAT(notes_with([](Experiment& e) {
                e.algorithm = "local-sgd";  // every 8 steps if not said
                e.steps = 7;
              }),
              ElementsAre("period 8: the run has 7 steps, its average never comes"));
}

TEST(WithoutEffect, ARateThatNeverGetsThereIsNoted) {
  EXPECT_THAT(notes_with([](Experiment& e) {
                e.learning_rate.schedule = "step";
                e.learning_rate.drop_at = {0.5, 1.0, 20.0};
              }),
              ElementsAre("lr-drop-at 1: the run has 20 steps, the rate never drops there",
                          "lr-drop-at 20: the run has 20 steps, the rate never drops there"));
  EXPECT_THAT(notes_with([](Experiment& e) { e.learning_rate.warmup_steps = 21; }),
              ElementsAre("warmup-steps 21: the run has 20 steps, the full rate is never reached"));
  EXPECT_THAT(notes_with([](Experiment& e) { e.warmup_epochs = 0.1; }),  // of 3 steps
              ElementsAre("warmup-epochs 0.1: less than half a step, there is no warm-up"));
}

TEST(WithoutEffect, MoreThanThereIsOfTheDataIsNoted) {
  EXPECT_THAT(notes_with([](Experiment& e) { e.evaluation_samples = 41; }),
              ElementsAre("evaluation-samples 41: there are 40, all are used"));
  EXPECT_THAT(notes_with([](Experiment& e) { e.batch = 76; }),
              ElementsAre("batch 76: the largest shard has 75 samples, no batch is larger"));
}

}  // namespace
}  // namespace starling::trainer
