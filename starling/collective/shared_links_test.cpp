#include "starling/collective/shared_links.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace starling::collective {
namespace {

using Route = std::vector<std::uint32_t>;

/// When the flows end, in the order in which they do; all start at 0.
std::vector<double> ends_of(SharedLinks& links) {
  std::vector<double> ends;
  links.share(0.0);
  while (links.next_end() < std::numeric_limits<double>::infinity()) {
    const double now = links.next_end();
    ends.push_back(now);
    (void)links.end_next();
    links.share(now);
  }
  return ends;
}

TEST(SharedLinks, AFlowAloneTakesItsTime) {
  SharedLinks links(2);
  const Route both{0, 1};
  links.start(0.0, both, 3.0, 1.0);
  EXPECT_EQ(ends_of(links), (std::vector<double>{3.0}));
}

TEST(SharedLinks, TwoOnALinkTakeHalfEachUntilOneIsOver) {
  SharedLinks links(1);
  const Route only{0};
  links.start(0.0, only, 1.0, 1.0);
  links.start(0.0, only, 3.0, 1.0);
  EXPECT_EQ(ends_of(links), (std::vector<double>{2.0, 4.0}));
}

TEST(SharedLinks, WeightsDivideALink) {
  SharedLinks links(1);
  const Route only{0};
  links.start(0.0, only, 3.0, 3.0);
  links.start(0.0, only, 1.0, 1.0);
  EXPECT_EQ(ends_of(links), (std::vector<double>{4.0, 4.0}));
}

/// A on both links, B and C on the first, D on the second: the first gives each of its three a
/// third, and what A leaves of the second is D's.
TEST(SharedLinks, WhatOneCannotUseIsForTheOthers) {
  SharedLinks links(2);
  const Route first{0};
  const Route second{1};
  const Route both{0, 1};
  const auto a = links.start(0.0, both, 1.0, 1.0);
  links.start(0.0, first, 1.0, 1.0);
  links.start(0.0, first, 1.0, 1.0);
  const auto d = links.start(0.0, second, 1.0, 1.0);
  links.share(0.0);
  EXPECT_NEAR(links.next_end(), 1.5, 1e-12);
  EXPECT_EQ(links.end_next(), d);
  links.share(1.5);
  EXPECT_NEAR(links.next_end(), 3.0, 1e-12);
  EXPECT_EQ(links.end_next(), a);
}

TEST(SharedLinks, WhoComesLaterSlowsDownWhoIsThere) {
  SharedLinks links(1);
  const Route only{0};
  links.start(0.0, only, 2.0, 1.0);
  links.share(0.0);
  links.start(1.0, only, 2.0, 1.0);
  links.share(1.0);
  EXPECT_NEAR(links.next_end(), 3.0, 1e-12);
  (void)links.end_next();
  links.share(3.0);
  EXPECT_NEAR(links.next_end(), 4.0, 1e-12);
}

TEST(SharedLinks, ManyFlowsOverManyLinksCarryWhatTheLinksCan) {
  SharedLinks links(8);
  std::vector<Route> routes;
  for (std::uint32_t k = 0; k < 8; ++k) {
    routes.push_back({k, (k + 1) % 8, (k + 2) % 8});
  }
  for (const Route& route : routes) {
    links.start(0.0, route, 1.0, 1.0 / 3.0);
  }
  EXPECT_EQ(ends_of(links), std::vector<double>(8, 3.0));
}

}  // namespace
}  // namespace starling::collective
