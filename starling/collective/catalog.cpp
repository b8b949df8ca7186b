#include "starling/collective/catalog.hpp"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "starling/collective/binary_tree.hpp"
#include "starling/collective/bine.hpp"
#include "starling/collective/binomial.hpp"
#include "starling/collective/bruck.hpp"
#include "starling/collective/chain.hpp"
#include "starling/collective/circulant.hpp"
#include "starling/collective/clos.hpp"
#include "starling/collective/direct.hpp"
#include "starling/collective/double_tree.hpp"
#include "starling/collective/half_way_torus.hpp"
#include "starling/collective/halving_doubling.hpp"
#include "starling/collective/hierarchical.hpp"
#include "starling/collective/pairwise.hpp"
#include "starling/collective/recursive_doubling.hpp"
#include "starling/collective/ring.hpp"
#include "starling/collective/scatter_all_gather.hpp"
#include "starling/collective/swing.hpp"
#include "starling/collective/swing_latency.hpp"
#include "starling/collective/torus.hpp"
#include "starling/collective/trivance.hpp"

namespace starling::collective {

namespace {

enum class ByLength : std::uint8_t { no, yes };

/// One operation of an algorithm.
struct Offer {
  Operation operation;
  Build build;
  ByLength by_length = ByLength::no;  // whether the schedule depends on the length of the vector
};

CatalogEntry entry(CatalogEntry made, std::initializer_list<Offer> offers) {
  for (const Offer& offer : offers) {
    const auto index = static_cast<std::size_t>(offer.operation);
    made.builds[index] = offer.build;
    made.by_length[index] = offer.by_length == ByLength::yes;
  }
  return made;
}

/// To numbers of peers other than powers of two.
std::optional<std::string> power_of_two_objection(const Request& request) {
  const std::size_t below = std::bit_floor(request.peers);
  if (below == request.peers) {
    return std::nullopt;
  }
  return "a power of two is needed, found " + std::to_string(request.peers) +
         " peers; the nearest are " + std::to_string(below) + " and " + std::to_string(2 * below);
}

std::optional<std::string> recursive_doubling_objection(const Request& request) {
  return request.operation == Operation::all_reduce ? std::nullopt
                                                    : power_of_two_objection(request);
}

std::vector<CatalogEntry> trees_and_exchanges() {
  return {
      entry({.name = "bruck",
             .summary =
                 "distances 1, 2, 4, .. with all that is known so far: fewest rounds for any n",
             .valid = "any n"},
            {{Operation::all_reduce, bruck_all_reduce},
             {Operation::all_gather, bruck_all_gather},
             {Operation::reduce_scatter, bruck_reduce_scatter},
             {Operation::barrier, bruck_all_gather},
             {Operation::all_to_all, bruck_all_to_all}}),
      entry({.name = "pairwise",
             .summary = "another partner in every round, every part goes straight where it belongs",
             .valid = "any n"},
            {{Operation::all_to_all, pairwise_all_to_all}}),
      entry({.name = "direct",
             .summary =
                 "everything goes straight where it belongs, all messages at once: for few peers",
             .valid = "any n"},
            {{Operation::all_reduce, direct_all_reduce},
             {Operation::all_gather, direct_all_gather},
             {Operation::reduce_scatter, direct_reduce_scatter},
             {Operation::barrier, direct_all_gather},
             {Operation::scatter, direct_scatter},
             {Operation::gather, direct_gather},
             {Operation::all_to_all, direct_all_to_all}}),
      entry({.name = "scatter-all-gather",
             .summary = "a tree scatters (or gathers) parts that all exchange: for long vectors",
             .valid = "any n"},
            {{Operation::broadcast, scatter_all_gather_broadcast},
             {Operation::reduce, reduce_scatter_gather}}),
      entry({.name = "scatter-ring",
             .summary = "the same with a ring: neighbours only, more rounds",
             .valid = "any n"},
            {{Operation::broadcast, scatter_ring_broadcast},
             {Operation::reduce, ring_gather_reduce}}),
      entry({.name = "chain",
             .summary = "a pipeline from rank to rank: the bytes of one vector, n-1 hops",
             .valid = "any n",
             .takes = {.segment = true}},
            {{Operation::broadcast, chain_broadcast, ByLength::yes},
             {Operation::reduce, chain_reduce, ByLength::yes}}),
      entry({.name = "binary-tree",
             .summary = "a pipeline through a binary tree: the bytes of two vectors, few hops",
             .valid = "any n",
             .takes = {.segment = true}},
            {{Operation::broadcast, binary_tree_broadcast, ByLength::yes},
             {Operation::reduce, binary_tree_reduce, ByLength::yes}}),
      entry({.name = "double-tree",
             .summary =
                 "pipelines through two trees, a half of the vector each: all ranks equally busy",
             .valid = "any n",
             .takes = {.segment = true}},
            {{Operation::all_reduce, double_tree_all_reduce, ByLength::yes},
             {Operation::broadcast, double_tree_broadcast, ByLength::yes},
             {Operation::reduce, double_tree_reduce, ByLength::yes}}),
  };
}

std::vector<CatalogEntry> for_rings_and_levels() {
  return {
      entry({.name = "swing",
             .summary =
                 "partners to and fro at distances 1, 1, 3, 5, 11, ..: short ways on tori, least "
                 "bytes in 2 log2(n) rounds",
             .valid = "any ring for all-reduce; else axes that are even, or odd and covered",
             .takes = {.dims = true, .colors_an_axis = 2, .layout = true},
             .objection = swing_objection},
            {{Operation::all_reduce, swing_all_reduce},
             {Operation::all_gather, swing_all_gather},
             {Operation::reduce_scatter, swing_reduce_scatter}}),
      entry({.name = "swing-latency",
             .summary = "the same partners exchange whole vectors: fewest rounds",
             .valid = "any n; best for powers of two",
             .takes = {.dims = true, .colors_an_axis = 2},
             .objection = swing_latency_objection,
             .same_bits_everywhere = false},
            {{Operation::all_reduce, swing_latency_all_reduce}}),
      entry({.name = "bine",
             .summary = "negabinary distances: ways two thirds as long as a binomial tree's",
             .valid = "powers of two",
             .objection = power_of_two_objection},
            {{Operation::all_reduce, bine_all_reduce},
             {Operation::broadcast, bine_broadcast},
             {Operation::reduce, bine_reduce},
             {Operation::all_gather, bine_all_gather},
             {Operation::reduce_scatter, bine_reduce_scatter}}),
      entry({.name = "trivance",
             .summary = "partners on both sides at distances 1, 3, 9, ..: least bytes in 2 log3(n) "
                        "rounds of two messages",
             .valid = "any n; best for powers of three",
             .takes = {.dims = true, .colors_an_axis = 1},
             .objection = trivance_objection},
            {{Operation::all_reduce, trivance_all_reduce},
             {Operation::all_gather, trivance_all_gather},
             {Operation::reduce_scatter, trivance_reduce_scatter}}),
      entry({.name = "trivance-latency",
             .summary = "the same partners exchange whole vectors in log3(n) rounds",
             .valid = "extents that are powers of three",
             .takes = {.dims = true, .colors_an_axis = 1},
             .objection = trivance_latency_objection,
             .same_bits_everywhere = false},
            {{Operation::all_reduce, trivance_latency_all_reduce}}),
      entry({.name = "hierarchical",
             .summary = "groups inside, their first ranks across, level by level",
             .valid = "any n",
             .takes = {.dims = true}},
            {{Operation::all_reduce, hierarchical_all_reduce},
             {Operation::broadcast, hierarchical_broadcast},
             {Operation::reduce, hierarchical_reduce}}),
  };
}

std::vector<CatalogEntry> for_tori_with_many_ports() {
  return {
      entry({.name = "bucket-torus",
             .summary = "rings along one axis of a torus after the other, one port at a time",
             .valid = "any torus",
             .takes = {.dims = true}},
            {{Operation::all_reduce, bucket_torus},
             {Operation::broadcast, bucket_torus},
             {Operation::reduce, bucket_torus},
             {Operation::all_gather, bucket_torus},
             {Operation::reduce_scatter, bucket_torus},
             {Operation::scatter, bucket_torus},
             {Operation::gather, bucket_torus}}),
      entry({.name = "multiported-torus",
             .summary =
                 "a bucket algorithm in every direction of a torus at once, each on a slice of "
                 "the vector (Sack and Gropp)",
             .valid = "any torus",
             .takes = {.dims = true, .colors_an_axis = 2, .layout = true, .weights = true},
             .objection = multiported_torus_objection},
            {{Operation::all_reduce, multiported_torus},
             {Operation::broadcast, multiported_torus},
             {Operation::reduce, multiported_torus},
             {Operation::all_gather, multiported_torus, ByLength::yes},
             {Operation::reduce_scatter, multiported_torus, ByLength::yes},
             {Operation::scatter, multiported_torus, ByLength::yes},
             {Operation::gather, multiported_torus, ByLength::yes}}),
      entry({.name = "half-way-torus",
             .summary = "rings of a torus in which sums come from both sides: half the rounds of "
                        "multiported-torus",
             .valid = "any torus; best if all axes are odd",
             .takes = {.dims = true, .layout = true, .weights = true}},
            {{Operation::all_reduce, half_way_torus},
             {Operation::all_gather, half_way_torus, ByLength::yes},
             {Operation::reduce_scatter, half_way_torus, ByLength::yes}}),
      entry(
          {.name = "clos",
           .summary = "halving and doubling in which the largest messages go the shortest way and "
                      "all lie in one piece (Sack and Gropp)",
           .valid = "powers of two",
           .objection = clos_objection},
          {{Operation::all_reduce, clos_all_reduce},
           {Operation::all_gather, clos_all_gather},
           {Operation::reduce_scatter, clos_reduce_scatter}}),
  };
}

std::vector<CatalogEntry> basic_ones() {
  return {
      entry({.name = "ring",
             .summary = "every block travels once round the ring: least bytes, neighbours only, "
                        "2(n-1) rounds",
             .valid = "any n"},
            {{Operation::all_reduce, ring_all_reduce},
             {Operation::all_gather, ring_all_gather},
             {Operation::reduce_scatter, ring_reduce_scatter}}),
      entry({.name = "recursive-doubling",
             .summary = "partners at distance 1, 2, 4, .. exchange the whole vector: fewest rounds",
             .valid = "any n for all-reduce, best for powers of two; only those for all-gather",
             .objection = recursive_doubling_objection},
            {{Operation::all_reduce, recursive_doubling_all_reduce},
             {Operation::all_gather, recursive_doubling_all_gather}}),
      entry({.name = "halving-doubling",
             .summary = "windows halve while sums are formed and double while they are spread "
                        "(Rabenseifner)",
             .valid = "any n for all-reduce, best for powers of two; only those for reduce-scatter",
             .objection = recursive_doubling_objection},
            {{Operation::all_reduce, halving_doubling_all_reduce},
             {Operation::reduce_scatter, recursive_halving_reduce_scatter}}),
      entry({.name = "circulant",
             .summary =
                 "cyclic runs of blocks over halving skips: least bytes in about 2 log2(n) rounds",
             .valid = "any n"},
            {{Operation::all_reduce, circulant_all_reduce},
             {Operation::all_gather, circulant_all_gather},
             {Operation::reduce_scatter, circulant_reduce_scatter},
             {Operation::barrier, circulant_all_gather}}),
      entry({.name = "binomial",
             .summary = "a tree in which the number of ranks with the vector doubles every round",
             .valid = "any n"},
            {{Operation::broadcast, binomial_broadcast},
             {Operation::reduce, binomial_reduce},
             {Operation::scatter, binomial_scatter},
             {Operation::gather, binomial_gather}}),
  };
}

std::vector<CatalogEntry> make_catalog() {
  std::vector<CatalogEntry> all = basic_ones();
  for (const auto& block :
       {trees_and_exchanges(), for_rings_and_levels(), for_tori_with_many_ports()}) {
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

}  // namespace

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> entries = make_catalog();
  return entries;
}

}  // namespace starling::collective
