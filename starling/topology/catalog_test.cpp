#include "starling/topology/catalog.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

std::string refusal(const TopologyOptions& options) {
  try {
    make_topology(options);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Catalog, NamesEveryFamilyOnce) {
  std::set<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_FALSE(entry.valid.empty());
  }
  EXPECT_GE(names.size(), 6U);
}

TEST(MakeTopology, NamesTheNearestForASlip) {
  EXPECT_THAT(refusal({.name = "exponental", .peers = 4}), HasSubstr("did you mean 'exponential'"));
  EXPECT_THAT(refusal({.name = "rnig:4", .peers = 4}), HasSubstr("did you mean 'ring'"));
}

TEST(MakeTopology, ListsAllWhenNothingIsNear) {
  const std::string text = refusal({.name = "spaghettimonster", .peers = 4});
  EXPECT_THAT(text, HasSubstr("one of: full, ring, "));
}

TEST(MakeTopology, RefusesAnUnknownRuleWithTheNearest) {
  EXPECT_THAT(refusal({.name = "ring", .weights = "lasy", .peers = 4}),
              HasSubstr("did you mean 'lazy'"));
}

TEST(MakeTopology, RefusesAnArgumentNobodyReads) {
  EXPECT_THAT(refusal({.name = "ring:4", .peers = 4}),
              HasSubstr("topology ring:4: takes no argument, found '4'; write 'ring'"));
  EXPECT_THAT(refusal({.name = "full:", .peers = 4}), HasSubstr("takes no argument"));
}

TEST(MakeTopology, RefusesNobody) {
  EXPECT_THAT(refusal({.name = "ring", .peers = 0}), HasSubstr("at least 1 peer"));
}

TEST(Topology, RefusesARankThatDoesNotExist) {
  for (const CatalogEntry& entry : catalog()) {
    if (entry.plain.empty()) {
      continue;
    }
    const auto topology = make_topology({.name = entry.plain, .peers = 4});
    EXPECT_THROW((void)topology->row(0, 4), ContractError) << entry.name;
  }
}

}  // namespace
}  // namespace starling::topology
