#include "starling/trainer/fingerprint.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "starling/trainer/plan.hpp"

namespace starling::trainer {
namespace {

std::string fingerprint_with(const std::function<void(Experiment&)>& change) {
  Experiment experiment;
  experiment.peers = 4;
  experiment.model = "logistic";
  experiment.data = "toy";
  experiment.steps = 20;
  change(experiment);
  return make_plan(experiment, TimeKind::real).fingerprint;
}

TEST(Fingerprint, NamesWhatIsInForceAsOnTheCommandLine) {
  EXPECT_EQ(fingerprint_with([](Experiment& e) {
              e.algorithm_options.order = algorithm::Order::combine_while_computing;
              e.algorithm_options.on_loss = OnLoss::continue_;
              e.last_batch = objective::LastBatch::pad;
              e.not_finite = NotFinite::skip_peer;
            }),
            "seed = 1\nalgorithm = dsgd\ntopology = exponential\nweights = auto\n"
            "order = combine-while-computing\non-loss = continue\nmodel = logistic\nl2 = 0\n"
            "data = toy\npartition = iid\nbatch = 32\nlast-batch = pad\noptimizer = sgd\n"
            "weight-decay = 0\nlr = 0.05\nlr-schedule = constant\nwarmup-steps = 0\n"
            "not-finite = skip-peer\n");
}

TEST(Fingerprint, OptionsAppearWithWhatTakesThem) {
  EXPECT_EQ(fingerprint_with([](Experiment& e) {
              e.algorithm = "local-sgd";
              e.model = "quadratic";
              e.optimizer.name = "adam";
              e.learning_rate.schedule = "step";
              e.learning_rate.drop_at = {0.5, 0.75};
            }),
            "seed = 1\nalgorithm = local-sgd\ntopology = full\ncollective = auto\nperiod = 8\n"
            "model = quadratic\noptimizer = adam\nbeta1 = 0.9\nbeta2 = 0.999\nepsilon = 1e-08\n"
            "weight-decay = 0\nlr = 0.05\nlr-schedule = step\nlr-drop-at = 0.5,0.75\n"
            "lr-drop-factor = 0.1\nwarmup-steps = 0\nnot-finite = stop\n");
}

TEST(Fingerprint, NamesThePortsOfCecaAndNoTopology) {
  const std::string text = fingerprint_with([](Experiment& e) {
    e.algorithm = "dsgd-ceca";
    e.algorithm_options.ports = 1;
  });
  EXPECT_EQ(text.find("seed = 1\nalgorithm = dsgd-ceca\nports = 1\nmodel = logistic\n"), 0U)
      << text;
}

TEST(Fingerprint, TellsNumbersApartToTheLastBit) {
  const auto with_rate = [](float rate) {
    return fingerprint_with([rate](Experiment& e) { e.learning_rate.base = rate; });
  };
  EXPECT_EQ(with_rate(0.1F), with_rate(0.1F));
  EXPECT_NE(with_rate(0.1F), with_rate(std::nextafter(0.1F, 1.0F)));
}

}  // namespace
}  // namespace starling::trainer
