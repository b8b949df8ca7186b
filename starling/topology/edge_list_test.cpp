#include "starling/topology/edge_list.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

class EdgeList : public ::testing::Test {
 protected:
  EdgeList()
      : path_(::testing::TempDir() + "starling_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".edges") {}

  ~EdgeList() override { std::filesystem::remove(path_); }

  std::shared_ptr<const Topology> made(const std::string& text,
                                       std::size_t peers,
                                       const std::string& weights = "auto") {
    std::ofstream(path_) << text;
    return make_topology({.name = "file:" + path_, .weights = weights, .peers = peers});
  }

  std::string refused(const std::string& text,
                      std::size_t peers,
                      const std::string& weights = "auto") {
    try {
      made(text, peers, weights);
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path_)) << "the file is named";
      return error.what();
    }
    return "nothing was refused";
  }

  std::string path_;
};

TEST_F(EdgeList, WeighsWhatTheReceiverHears) {
  const auto file = made("0 1 0.25\n1 0 0.5\n", 2);
  EXPECT_EQ(file->row(0, 1).receives, (std::vector<Link>{{0, 0.25}}));
  EXPECT_EQ(file->row(0, 1).sends, (std::vector<Link>{{0, 0.5}}));
  EXPECT_EQ(file->row(0, 1).self_weight, 0.75);
  EXPECT_FALSE(file->traits().symmetric);
  EXPECT_TRUE(file->traits().row_stochastic);
  EXPECT_FALSE(file->traits().column_stochastic);
}

TEST_F(EdgeList, OfSymmetricLinesCountsBothWays) {
  const auto file = made("# a path\nsymmetric\n\n0 1 1/3  # first\n1 2 1/3\n2 1 1/3\n", 3);
  EXPECT_EQ(file->row(0, 1).receives, (std::vector<Link>{{0, 1.0 / 3.0}, {2, 1.0 / 3.0}}));
  EXPECT_TRUE(file->traits().symmetric);
  EXPECT_TRUE(file->traits().column_stochastic);
}

TEST_F(EdgeList, SeesSymmetryNobodyClaimed) {
  EXPECT_TRUE(made("directed\n0 1 0.5\n1 0 0.5\n", 2)->traits().symmetric);
}

TEST_F(EdgeList, TakesStatedSelfWeights) {
  const auto file = made("symmetric\n0 0 0.4\n0 1 0.6\n1 1 0.4\n", 2);
  EXPECT_NEAR(file->row(0, 0).self_weight, 0.4, 1e-15);
  EXPECT_EQ(made("0 0 0\n0 1 1\n1 0 1\n", 2)->row(0, 0).self_weight, 0.0);
}

TEST_F(EdgeList, WithoutWeightsTakesTheRule) {
  const std::string star = "symmetric\n0 1\n0 2\n0 3\n";
  EXPECT_EQ(made(star, 4)->row(0, 1).receives, (std::vector<Link>{{0, 0.25}}));
  EXPECT_EQ(made(star, 4, "push")->row(0, 1).sends, (std::vector<Link>{{0, 0.5}}));
  EXPECT_EQ(made(star, 4, "lazy")->row(0, 1).self_weight, 0.875);
}

TEST_F(EdgeList, DirectedWithoutWeightsIsForPushSum) {
  const std::string ring = "0 1\n1 2\n2 0\n";
  EXPECT_EQ(made(ring, 3, "push")->row(0, 0).sends, (std::vector<Link>{{1, 0.5}}));
  EXPECT_THAT(refused(ring, 3), HasSubstr("what fits: push, or weights in the file"));
  EXPECT_THAT(refused(ring, 3, "uniform"), HasSubstr("what fits: push"));
}

TEST_F(EdgeList, WithWeightsTakesNoOtherRule) {
  const std::string pair = "symmetric\n0 1 0.25\n";
  EXPECT_EQ(made(pair, 2, "lazy")->row(0, 0).self_weight, 0.875);
  for (const char* rule : {"uniform", "metropolis-hastings", "push"}) {
    EXPECT_THAT(refused(pair, 2, rule), HasSubstr("what fits: auto, lazy")) << rule;
  }
}

TEST_F(EdgeList, OfOnePeerMayBeEmpty) {
  EXPECT_TRUE(made("# nobody\n", 1)->row(0, 0).is_idle());
}

TEST_F(EdgeList, RefusesRanksBeyondTheGroup) {
  EXPECT_THAT(refused("0 1 0.5\n\n1 9 0.5\n", 3),
              HasSubstr(":3: expected a rank below 3 (the number of peers), found '9'"));
  EXPECT_THAT(refused("0 -1 0.5\n", 3), HasSubstr(":1: expected a rank below 3"));
}

TEST_F(EdgeList, RefusesRowsAboveOne) {
  EXPECT_THAT(refused("0 2 0.7\n2 0 0.2\n1 2 0.6\n2 1 0.1\n", 3),
              HasSubstr(":3: expected the weights of what rank 2 receives to sum to at most 1, "
                        "found 1.3"));
}

TEST_F(EdgeList, RefusesASelfWeightThatLeavesTheRowShort) {
  EXPECT_THAT(refused("0 1 0.5\n1 0 0.5\n1 1 0.4\n", 2),
              HasSubstr(":3: expected row 1 to sum to 1 with this self weight, found 0.9"));
}

TEST_F(EdgeList, RefusesABrokenClaimOfSymmetry) {
  EXPECT_THAT(refused("symmetric\n0 1 0.5\n1 0 0.25\n", 2),
              HasSubstr(":3: expected 1 -> 0 to weigh 0.5 as in line 2 (the file says it is "
                        "symmetric), found 0.25"));
}

TEST_F(EdgeList, RefusesAnEdgeTwice) {
  EXPECT_THAT(refused("0 1 0.5\n0 1 0.5\n", 2),
              HasSubstr(":2: expected 0 -> 1 once, found it again, first in line 1"));
}

TEST_F(EdgeList, RefusesAGraphInParts) {
  EXPECT_THAT(refused("symmetric\n0 1\n2 3\n", 4), HasSubstr("found rank 2 cut off from rank 0"));
  EXPECT_THAT(refused("0 1 0.5\n", 2), HasSubstr("found rank 1 cut off")) << "no way back";
  EXPECT_THAT(refused("symmetric\n0 1\n", 3), HasSubstr("found rank 2 cut off"));
}

TEST_F(EdgeList, RefusesLinesItCannotRead) {
  EXPECT_THAT(refused("0\n", 2),
              HasSubstr(":1: expected 'from to' or 'from to weight', found '0'"));
  EXPECT_THAT(refused("0 1 1 1\n", 2), HasSubstr("'from to weight'"));
  EXPECT_THAT(refused("0 1\nsymmetric\n", 2), HasSubstr(":2: expected 'from to'"));
  EXPECT_THAT(refused("0 1 0.5\n1 0\n", 2),
              HasSubstr(":2: expected a weight as in the lines before"));
  EXPECT_THAT(refused("0 1\n1 0 0.5\n", 2), HasSubstr(":2: expected no weight"));
  EXPECT_THAT(refused("0 0\n", 2), HasSubstr(":1: expected two different ranks"));
  for (const char* weight : {"0", "-0.5", "1.5", "nan", "inf", "half", "1/0", "1/2/3", "1/"}) {
    EXPECT_THAT(refused("0 1 " + std::string(weight) + "\n", 2),
                HasSubstr(":1: expected a weight above 0 and at most 1"))
        << weight;
  }
}

TEST(EdgeListFile, RefusesAFileThatIsNotThere) {
  const auto make = [](const std::string& name) { make_topology({.name = name, .peers = 2}); };
  for (const char* name : {"file", "file:"}) {
    try {
      make(name);
      ADD_FAILURE() << name << " was made";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("path"));
    }
  }
  EXPECT_THROW(make("file:/nowhere/at:all.edges"), ConfigError);
  EXPECT_THROW(make("file:/"), ConfigError) << "a directory";
}

TEST(EdgeListFile, ExamplesAreValid) {
  const std::string folder = "file:" STARLING_SOURCE_DIR "/examples/topology/";
  const auto sites = make_topology({.name = folder + "two-sites.edges", .peers = 8});
  EXPECT_EQ(sites->row(0, 3).receives.size(), 4U);
  const auto ring = make_topology({.name = folder + "weighted-ring.edges", .peers = 4});
  EXPECT_NEAR(ring->row(0, 2).self_weight, 1.0 / 3.0, 1e-15);
  EXPECT_TRUE(ring->traits().symmetric);
  const auto one_way =
      make_topology({.name = folder + "one-way.edges", .weights = "push", .peers = 5});
  EXPECT_EQ(one_way->row(0, 0).sends.size(), 2U);
  EXPECT_FALSE(one_way->traits().row_stochastic);
}

TEST_F(EdgeList, WhatMayNeverEndIsRefused) {
  for (const char* name : {"/dev/zero", "/dev/null", "/tmp"}) {
    EXPECT_THROW(make_topology({.name = std::string("file:") + name, .peers = 3}), ConfigError)
        << name;
  }
  EXPECT_THAT(refused("0 1\n1 " + std::string(5000, '2') + "\n", 3),
              HasSubstr(":2: expected a line of at most 4096 bytes, found 5002 bytes"));
  EXPECT_NO_THROW(made("symmetric\n0 1\n# " + std::string(4000, '2') + "\n1 2\n", 3));
  std::ofstream(path_) << "0 1\n";
  std::filesystem::resize_file(path_, (std::uintmax_t{64} << 20U) + 1);
  EXPECT_THROW(make_topology({.name = "file:" + path_, .peers = 3}), ConfigError);
}

TEST_F(EdgeList, WhereColumnsSufficeAutoPushesOverDirectedLinksWithoutWeights) {
  std::ofstream(path_) << "0 1\n1 2\n2 0\n0 2\n";
  TopologyOptions options{.name = "file:" + path_, .peers = 3, .needs = Needs::columns};
  const auto file = make_topology(options);
  EXPECT_EQ(file->row(0, 0).sends, (std::vector<Link>{{1, 1.0 / 3.0}, {2, 1.0 / 3.0}}));
  EXPECT_EQ(file->row(0, 1).sends, (std::vector<Link>{{2, 0.5}}));
  EXPECT_TRUE(file->traits().column_stochastic);
  EXPECT_FALSE(file->traits().row_stochastic);
  for (const char* rule : {"uniform", "metropolis-hastings", "lazy"}) {  // said is said
    options.weights = rule;
    EXPECT_THROW(make_topology(options), ConfigError) << rule;
  }
}

TEST_F(EdgeList, WhereColumnsSufficeAutoLeavesEverythingElseAsItIs) {
  for (const char* text :
       {"symmetric\n0 1\n1 2\n", "0 1\n1 0\n1 2\n2 1\n", "0 1 1/4\n1 2 1/2\n2 0 1/2\n"}) {
    const auto usual = made(text, 3);
    const auto pushed =
        make_topology({.name = "file:" + path_, .peers = 3, .needs = Needs::columns});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(pushed->row(0, rank), usual->row(0, rank)) << text;
    }
  }
}

}  // namespace
}  // namespace starling::topology
