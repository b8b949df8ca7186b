// What the operations promise and refuse, beyond their results.
#include "starling/collective/collective.hpp"

#include <string>

#include <gtest/gtest.h>

#include "starling/core/buffer.hpp"
#include "starling/core/error.hpp"

#include "tests/support/worlds.hpp"

namespace starling::collective {
namespace {

using namespace std::chrono_literals;
using testing::Kind;
using testing::make_world;
using Vector = std::vector<float>;

template <class Body>
RunReport run_on(std::size_t peers, Body body) {
  return make_world(Kind::threads, {.peers = peers})->run([&](Peer& peer) {
    body(Group::everyone(peer), CollectiveOptions{"auto", peer.clock().in(20s), 0});
  });
}

TEST(Collective, AloneItSendsNothingAndReturnsItsInput) {
  const RunReport report = run_on(1, [](const Group& group, const CollectiveOptions& options) {
    Collective all(group);
    Vector values{1.5F, -2.0F, 0.25F};
    const Vector before = values;
    for (const Reduction reduction :
         {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max, Reduction::product}) {
      all.all_reduce(values, reduction, options);
      EXPECT_EQ(values, before);
    }
    all.broadcast(values, 0, options);
    Vector output(3);
    all.reduce(values, output, Reduction::sum, 0, options);
    EXPECT_EQ(output, before);
    all.all_gather(values, output, options);
    all.reduce_scatter(values, output, Reduction::sum, options);
    EXPECT_EQ(output, before);
    all.barrier(options);
  });
  report.or_throw();
  EXPECT_EQ(report.peers[0].meter.messages_sent, 0U);
}

TEST(Collective, RefusesWhatDoesNotFitBeforeAnythingIsSent) {
  const RunReport report = run_on(2, [](const Group& group, const CollectiveOptions& options) {
    Collective all(group);
    Vector three(3);
    Vector four(4);
    const std::span<float> values = four;
    EXPECT_THROW(all.all_reduce(three, four, Reduction::sum, options), ContractError);
    EXPECT_THROW(all.all_reduce(values.first(3), values.last(3), Reduction::sum, options),
                 ContractError);
    EXPECT_THROW(all.broadcast(values, 2, options), ContractError);
    EXPECT_THROW(all.reduce(three, four, Reduction::sum, group.rank(), options), ContractError);
    EXPECT_THROW(all.all_gather(three, four, options), ContractError);
    EXPECT_THROW(all.reduce_scatter(four, three, Reduction::sum, options), ContractError);
    CollectiveOptions unknown = options;
    unknown.algorithm = "halving-dubling";
    EXPECT_THROW(all.all_reduce(values, Reduction::sum, unknown), ConfigError);
  });
  report.or_throw();
  EXPECT_EQ(report.peers[0].meter.messages_sent, 0U);
}

TEST(Collective, KeepsItsPlansAndWorkingMemory) {
  run_on(3, [](const Group& group, CollectiveOptions options) {
    Collective collective(group);
    Vector values(1000, 1.0F);
    for (std::uint64_t step = 0; step < 20; ++step) {
      options.round = step;
      collective.all_reduce(values, Reduction::mean, options);
      for (std::size_t root = 0; root < 3; ++root) {
        collective.broadcast(values, root, options);
      }
    }
    EXPECT_EQ(values, Vector(1000, 1.0F));
  }).or_throw();
}

TEST(Collective, SelectionDecidesWhatAutoMeans) {
  // A ring of 4 sends 6 messages per rank, recursive doubling 2.
  const RunReport report = run_on(4, [](const Group& group, const CollectiveOptions& options) {
    Collective collective(group, {.link = {}, .measured = {{Operation::all_reduce, 4, 0, "ring"}}});
    Vector values(8, 1.0F);
    collective.all_reduce(values, Reduction::sum, options);
  });
  report.or_throw();
  EXPECT_EQ(report.peers[0].meter.messages_sent, 6U);
}

}  // namespace
}  // namespace starling::collective
