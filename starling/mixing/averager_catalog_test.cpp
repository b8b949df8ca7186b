#include "starling/mixing/averager_catalog.hpp"

#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/support/temp_directory.hpp"
#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;
using ::testing::HasSubstr;

using Models = std::vector<std::vector<float>>;

constexpr std::size_t kElements = 5;

Models random_models(std::size_t peers) {
  Models models(peers, std::vector<float>(kElements));
  Random random(4);
  for (auto& model : models) {
    for (float& value : model) {
      value = static_cast<float>(random.normal());
    }
  }
  return models;
}

/// The estimates of all peers after `rounds` rounds.
Models average(Kind kind,
               const AveragerOptions& options,
               const Models& models,
               std::uint64_t rounds,
               const Absences& absences = {}) {
  const PreparedAverager prepared = prepare_averager(options);
  Models estimates = models;
  const auto world = starling::testing::make_world(kind, {.peers = options.peers});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        const auto averager = prepared.make(group);
        averager->begin(models[group.rank()]);
        for (std::uint64_t round = 0; round < rounds; ++round) {
          averager->round({round, peer.clock().in(std::chrono::seconds(20)), absences.in(round)});
        }
        const auto values = averager->values();
        estimates[group.rank()].assign(values.begin(), values.end());
      })
      .or_throw();
  return estimates;
}

std::vector<double> mean_of(const Models& models) {
  std::vector<double> mean(kElements);
  for (const auto& model : models) {
    for (std::size_t k = 0; k < kElements; ++k) {
      mean[k] += double{model[k]} / static_cast<double>(models.size());
    }
  }
  return mean;
}

double furthest(const Models& models, const std::vector<double>& from) {
  double distance = 0.0;
  for (const auto& model : models) {
    for (std::size_t k = 0; k < kElements; ++k) {
      distance = std::max(distance, std::abs(model[k] - from[k]));
    }
  }
  return distance;
}

constexpr double kRounding = 1e-5;  // some hundred roundings of numbers below 4

/// Those of one line each, and what is special about them.
std::vector<std::string> names() {
  return {"all-reduce",
          "ceca",
          "moshpit-grid",
          "push-sum:exponential",
          "push-sum:star",
          "ring",
          "full",
          "exponential",
          "random-matching",
          "star"};
}

class AveragerOn : public ::testing::TestWithParam<std::tuple<Kind, std::size_t>> {
 protected:
  Kind kind() const { return std::get<0>(GetParam()); }

  AveragerOptions options(const std::string& name) const {
    return {.name = name,
            .peers = std::get<1>(GetParam()),
            .weights = name == "push-sum:star" ? "push" : "auto"};
  }
};

TEST_P(AveragerOn, ComesToTheInitialMean) {
  for (const std::string& name : names()) {
    const AveragerOptions made = options(name);
    const Models before = random_models(made.peers);
    const auto mean = mean_of(before);
    const Models after = average(kind(), made, before, 60);
    EXPECT_LT(furthest(after, mean), 1e-2) << name;
    EXPECT_NEAR(mean_of(after)[0], mean[0], kRounding) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         AveragerOn,
                         ::testing::Combine(::testing::ValuesIn(starling::testing::all_kinds()),
                                            ::testing::Range<std::size_t>(1, 10)),
                         [](const auto& test) {
                           return to_string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(Averager, TheSameBitsInEveryWorld) {
  const Absences absences(9, 12, {.rate = 0.2, .seed = 6});
  for (const std::string& name : names()) {
    const AveragerOptions options{
        .name = name, .peers = 9, .weights = name == "push-sum:star" ? "push" : "auto"};
    const Models before = random_models(9);
    std::set<Models> found;
    for (const Kind kind : starling::testing::all_kinds()) {
      found.insert(average(kind, options, before, 12, absences));
    }
    EXPECT_EQ(found.size(), 1U) << name;
  }
}

/// Absent peers take the mean along only where the weights are one-sided.
TEST(Averager, TheMeanOutlivesAbsences) {
  const Absences absences(9, 120, {.rate = 0.2, .seed = 6});
  const Models before = random_models(9);
  const auto mean = mean_of(before);
  for (const char* name : {"moshpit-grid", "push-sum:exponential", "ring", "random-matching"}) {
    const Models after = average(Kind::threads, {.name = name, .peers = 9}, before, 120, absences);
    EXPECT_LT(furthest(after, mean), 0.02) << name;
  }
  const Models gossiped =
      average(Kind::threads, {.name = "exponential", .peers = 9}, before, 120, absences);
  EXPECT_GT(furthest(gossiped, mean), 0.02);
}

TEST(Averager, AnAllReduceChangesNothingWhileAnybodyIsAbsent) {
  const Absences absences(4, 1, {.rate = 1.0});
  const Models before = random_models(4);
  const AveragerOptions options{.name = "all-reduce", .peers = 4};
  EXPECT_EQ(average(Kind::threads, options, before, 1, absences), before);
  EXPECT_NE(average(Kind::threads, options, before, 2, absences), before);
}

TEST(Averager, CecaIsExactAfterACycleAlsoWhenRoundsAreMissed) {
  const Models before = random_models(6);
  const auto mean = mean_of(before);
  for (const char* name : {"ceca", "ceca:1"}) {
    const AveragerOptions options{.name = name, .peers = 6};
    EXPECT_LT(furthest(average(Kind::threads, options, before, 3), mean), kRounding) << name;
    EXPECT_GT(furthest(average(Kind::threads, options, before, 2), mean), 0.01) << name;
    const Absences absences(6, 40, {.rate = 0.1, .seed = 3});
    EXPECT_LT(furthest(average(Kind::threads, options, before, 40, absences), mean), kRounding)
        << name;
  }
}

TEST(Averager, ADirectedFileWithoutWeightsPushes) {
  const starling::testing::TempDirectory folder;
  starling::testing::put_content(folder / "one-way.edges", "0 1\n1 2\n2 0\n0 2\n");
  const std::string name = "file:" + (folder / "one-way.edges").string();
  const PreparedAverager prepared = prepare_averager({.name = name, .peers = 3});
  EXPECT_EQ(prepared.how, "push-sum over " + name);
  const Models before = random_models(3);
  const Models after = average(Kind::threads, {.name = name, .peers = 3}, before, 60);
  EXPECT_LT(furthest(after, mean_of(before)), kRounding);
}

TEST(AveragerCatalog, EveryTopologyIsAnAverager) {
  for (const topology::CatalogEntry& entry : topology::catalog()) {
    if (!entry.plain.empty()) {
      EXPECT_EQ(find_averager(entry.plain).name, "TOPOLOGY") << entry.name;
    }
  }
  EXPECT_EQ(find_averager("torus:4x4").name, "TOPOLOGY");
}

TEST(AveragerCatalog, SaysHow) {
  const auto how = [](const std::string& name) {
    return prepare_averager({.name = name, .peers = 9}).how;
  };
  EXPECT_EQ(how("ring"), "gossip over ring");
  EXPECT_EQ(how("push-sum:ring"), "push-sum over ring");
  EXPECT_EQ(how("all-reduce"), "all-reduce by auto");
  EXPECT_EQ(how("ceca"), "CECA with two ports");
  EXPECT_EQ(how("moshpit-grid"), "groups of grid 3x3, weights equal");
}

TEST(AveragerCatalog, RefusalsSayWhatThereIs) {
  const auto refusal = [](const AveragerOptions& options) -> std::string {
    try {
      prepare_averager(options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.name = "moshpit", .peers = 4}),
            "averager: unknown name 'moshpit'; did you mean 'moshpit-grid'?");
  EXPECT_EQ(refusal({.name = "exponental", .peers = 4}),
            "averager: unknown name 'exponental'; did you mean 'exponential'?");
  EXPECT_EQ(refusal({.name = "TOPOLOGY", .peers = 4}).substr(0, 34),
            "averager: unknown name 'TOPOLOGY';");
  EXPECT_THAT(refusal({.name = "push-sum", .peers = 4}), HasSubstr("expected a topology"));
  EXPECT_THAT(refusal({.name = "push-sum:", .peers = 4}), HasSubstr("expected a topology"));
  EXPECT_THAT(refusal({.name = "push-sum:rng", .peers = 4}), HasSubstr("did you mean 'ring'"));
  EXPECT_THAT(refusal({.name = "all-reduce:ring", .peers = 4}), HasSubstr("takes no argument"));
  EXPECT_THAT(refusal({.name = "ceca:3", .peers = 4}), HasSubstr("1 or 2 ports"));
  EXPECT_THAT(refusal({.name = "ceca:1", .peers = 5}), HasSubstr("even"));
  EXPECT_THAT(refusal({.name = "all-reduce", .peers = 4, .collective = "rng"}),
              HasSubstr("did you mean 'ring'"));
  EXPECT_THAT(refusal({.name = "moshpit-grid", .peers = 10, .grid = "3x3"}),
              HasSubstr("9 cells for 10 peers"));
  EXPECT_THAT(refusal({.name = "hypercube", .peers = 9}), HasSubstr("topology hypercube"));
  EXPECT_THAT(refusal({.name = "ring", .peers = 0}), HasSubstr("at least 1 peer"));
}

}  // namespace
}  // namespace starling::mixing
