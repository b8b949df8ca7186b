#include "starling/objective/catalog.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/objective/quadratic.hpp"

namespace starling::objective {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

std::string data_refusal(const std::string& name) {
  return refusal([&] { load_data({.name = name}); });
}

std::string model_refusal(const ModelOptions& options) {
  return refusal([&] { make_objective(options, load_data({.name = "toy"}).train.get()); });
}

TEST(Catalog, NamesEveryModelWithWhatItNeeds) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : model_catalog()) {
    names.push_back(entry.name);
  }
  EXPECT_THAT(names, ElementsAre("quadratic", "logistic", "linear", "mlp", "cnn"));
  EXPECT_FALSE(model_entry("quadratic:d=3").needs_data);
  EXPECT_FALSE(model_entry("logistic").needs_torch);
  EXPECT_TRUE(model_entry("logistic").needs_data);
  EXPECT_TRUE(model_entry("mlp:64").needs_torch);
  EXPECT_THAT(refusal([] { model_entry("mpl:64"); }), HasSubstr("did you mean 'mlp'?"));
}

TEST(Catalog, ChecksTheTextOfAModelWithoutDataAndPlugin) {
  const auto text_refusal = [](const char* model) { return refusal([&] { check_model(model); }); };
  EXPECT_EQ(text_refusal("mlp:64x32:dropout=0.2"), "accepted");
  EXPECT_EQ(text_refusal("logistic:bias"), "accepted");
  EXPECT_EQ(text_refusal("quadratic:d=3:graded"), "accepted");
  EXPECT_THAT(text_refusal("quadratic:graded:graded"), HasSubstr("graded"));
  EXPECT_THAT(text_refusal("mlp:0"), HasSubstr("found '0'"));
  EXPECT_THAT(text_refusal("cnn:8:16"), HasSubstr("only dropout=RATE"));
  EXPECT_THAT(text_refusal("logistic:biased"), HasSubstr("did you mean 'bias'?"));
  EXPECT_THAT(text_refusal("quadratic:d=0"), HasSubstr("d is '0'"));
  EXPECT_THAT(text_refusal("mpl"), HasSubstr("did you mean 'mlp'?"));
}

TEST(Catalog, EveryLineHasASummary) {
  EXPECT_EQ(data_catalog().size(), 4U);
  for (const CatalogEntry& entry : data_catalog()) {
    EXPECT_FALSE(entry.summary.empty());
  }
  for (const CatalogEntry& entry : model_catalog()) {
    EXPECT_FALSE(entry.summary.empty());
  }
}

TEST(LoadData, ArgumentsShapeTheData) {
  const DataPair logistic =
      load_data({.name = "synthetic-logistic:d=3:samples=40:noniid", .peers = 2});
  EXPECT_EQ(logistic.train->size(), 80U);
  EXPECT_EQ(logistic.test->size(), 8U);
  EXPECT_EQ(logistic.train->features(), 3U);
  const DataPair toy = load_data({.name = "toy:classes=4:image=6:samples=20:test=8"});
  EXPECT_THAT(toy.train->sample_shape(), ElementsAre(1, 6, 6));
  EXPECT_EQ(toy.train->classes(), 4U);
  EXPECT_EQ(toy.test->size(), 8U);
}

TEST(LoadData, NoneHasNoSamples) {
  const DataPair pair = load_data({.name = "none"});
  EXPECT_EQ(pair.train, nullptr);
  EXPECT_EQ(pair.test, nullptr);
}

TEST(LoadData, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(data_refusal("fashion-minst"), HasSubstr("did you mean 'fashion-mnist'?"));
  EXPECT_THAT(data_refusal("fashion-mnist:x"), HasSubstr("no argument 'x'"));
  EXPECT_THAT(data_refusal("none:x"), HasSubstr("no argument 'x'"));
  EXPECT_THAT(data_refusal("toy:classes=1"), HasSubstr("classes is '1'"));
  EXPECT_THAT(data_refusal("toy:d=3:image=4"), HasSubstr("d and image exclude each other"));
  EXPECT_THAT(data_refusal("synthetic-logistic:iid:noniid"), HasSubstr("exclude each other"));
  EXPECT_THAT(data_refusal("synthetic-logistic:nonid"), HasSubstr("did you mean 'noniid'?"));
  EXPECT_THAT(
      refusal([] { load_data({.name = "synthetic-logistic:samples=3000000000", .peers = 2}); }),
      HasSubstr("32 bits"));
  EXPECT_THAT(refusal([] { load_data({.name = "toy", .directory = "/somewhere"}); }),
              AllOf(HasSubstr("not read from files"), HasSubstr("/somewhere")));
}

TEST(MakeObjective, QuadraticNeedsNoData) {
  const auto objective = make_objective(
      {.name = "quadratic:d=7:zeta=0:sigma=0:spread=2:graded", .peers = 3, .rank = 1}, nullptr);
  EXPECT_EQ(objective->layout().elements(), 7U);
  const Quadratic same({.dimension = 7,
                        .zeta = 0.0,
                        .sigma = 0.0,
                        .spread = 2.0,
                        .curvature = PeerCurvature::graded,
                        .peers = 3,
                        .rank = 1});
  const std::vector<float> optimum(same.optimum().begin(), same.optimum().end());
  EXPECT_NEAR(objective->evaluate(optimum, {}).loss(), 0.0, 1e-10);
}

TEST(MakeObjective, LogisticHasABiasForImagesUnlessTold) {
  const DataPair flat = load_data({.name = "toy:d=5:classes=3"});
  const DataPair image = load_data({.name = "toy:image=5:classes=3"});
  const auto elements = [](const char* name, const DataPair& data) {
    return make_objective({.name = name}, data.train.get())->layout().elements();
  };
  EXPECT_EQ(elements("logistic", flat), 15U);
  EXPECT_EQ(elements("logistic:bias", flat), 18U);
  EXPECT_EQ(elements("logistic", image), 78U);
  EXPECT_EQ(elements("logistic:no-bias", image), 75U);
}

TEST(MakeObjective, L2ReachesTheLoss) {
  const DataPair data = load_data({.name = "toy:d=2:classes=2"});
  const auto plain = make_objective({.name = "logistic"}, data.train.get());
  const auto pulled = make_objective({.name = "logistic", .l2 = 0.5F}, data.train.get());
  const std::vector<float> point{1.0F, 2.0F};
  const std::vector<std::uint32_t> samples{0, 1, 2};
  const Batch batch{data.train.get(), samples};
  EXPECT_NEAR(
      pulled->evaluate(point, batch).loss() - plain->evaluate(point, batch).loss(), 1.25, 1e-12);
}

TEST(MakeObjective, RefusesWhatDoesNotFit) {
  EXPECT_THAT(model_refusal({.name = "logistics"}), HasSubstr("did you mean 'logistic'?"));
  EXPECT_THAT(model_refusal({.name = "logistic:bias:no-bias"}), HasSubstr("exclude each other"));
  EXPECT_THAT(model_refusal({.name = "logistic:3"}), HasSubstr("no argument '3'"));
  EXPECT_THAT(model_refusal({.name = "logistic", .l2 = -1.0F}), HasSubstr("L2 term"));
  EXPECT_THAT(model_refusal({.name = "logistic", .l2 = std::numeric_limits<float>::quiet_NaN()}),
              HasSubstr("L2 term"));
  EXPECT_THAT(model_refusal({.name = "quadratic:spread=0.5"}), HasSubstr("at least 1"));
  EXPECT_THAT(model_refusal({.name = "quadratic", .l2 = 0.1F}), HasSubstr("has none"));
  EXPECT_THAT(model_refusal({.name = "cnn", .l2 = 0.1F}), HasSubstr("weight decay"));
  for (const char* name : {"logistic", "linear"}) {
    EXPECT_THAT(refusal([&] { make_objective({.name = name}, nullptr); }),
                HasSubstr("the data is 'none'"));
  }
}

}  // namespace
}  // namespace starling::objective
