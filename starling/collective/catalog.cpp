#include "starling/collective/catalog.hpp"

#include "starling/collective/binomial.hpp"
#include "starling/collective/circulant.hpp"
#include "starling/collective/halving_doubling.hpp"
#include "starling/collective/recursive_doubling.hpp"
#include "starling/collective/ring.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::collective {

namespace {

struct Offer {
  Operation operation;
  Build build;
};

CatalogEntry entry(std::string name,
                   std::string summary,
                   std::string valid,
                   std::initializer_list<Offer> offers) {
  CatalogEntry made{std::move(name), std::move(summary), std::move(valid), {}};
  for (const Offer& offer : offers) {
    made.builds[static_cast<std::size_t>(offer.operation)] = offer.build;
  }
  return made;
}

std::vector<CatalogEntry> make_catalog() {
  return {
      entry("ring",
            "every block travels once round the ring: least bytes, neighbours only, 2(n-1) rounds",
            "any n",
            {{Operation::all_reduce, ring_all_reduce},
             {Operation::all_gather, ring_all_gather},
             {Operation::reduce_scatter, ring_reduce_scatter}}),
      entry("recursive-doubling",
            "partners at distance 1, 2, 4, .. exchange the whole vector: fewest rounds",
            "any n; best for powers of two",
            {{Operation::all_reduce, recursive_doubling_all_reduce}}),
      entry("halving-doubling",
            "windows halve while sums are formed and double while they are spread (Rabenseifner)",
            "any n; best for powers of two",
            {{Operation::all_reduce, halving_doubling_all_reduce}}),
      entry("circulant",
            "cyclic runs of blocks over halving skips: least bytes in about 2 log2(n) rounds",
            "any n",
            {{Operation::all_reduce, circulant_all_reduce},
             {Operation::all_gather, circulant_all_gather},
             {Operation::reduce_scatter, circulant_reduce_scatter},
             {Operation::barrier, circulant_all_gather}}),
      entry("binomial",
            "a tree in which the number of ranks with the vector doubles every round",
            "any n",
            {{Operation::broadcast, binomial_broadcast}, {Operation::reduce, binomial_reduce}}),
  };
}

}  // namespace

std::string CatalogEntry::operations() const {
  std::string text;
  for (std::size_t operation = 0; operation < kOperations; ++operation) {
    if (builds[operation] == nullptr) {
      continue;
    }
    if (!text.empty()) {
      text += ", ";
    }
    text += to_string(static_cast<Operation>(operation));
  }
  return text;
}

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> entries = make_catalog();
  return entries;
}

std::vector<std::string> names_for(Operation operation) {
  std::vector<std::string> names;
  for (const CatalogEntry& each : catalog()) {
    if (each.build(operation) != nullptr) {
      names.push_back(each.name);
    }
  }
  return names;
}

const CatalogEntry& find_algorithm(std::string_view name, Operation operation) {
  std::vector<std::string> all{"auto"};
  for (const CatalogEntry& each : catalog()) {
    if (each.name != name) {
      all.push_back(each.name);
      continue;
    }
    if (each.build(operation) != nullptr) {
      return each;
    }
    throw ConfigError("collective: '" + each.name + "' offers " + each.operations() + ", not " +
                      to_string(operation) + suggestion("", names_for(operation)));
  }
  throw ConfigError("collective: no algorithm is called '" + std::string(name) + "'" +
                    suggestion(name, all));
}

std::vector<Schedule> schedules_of(const CatalogEntry& algorithm, Request request) {
  const Build build = find_algorithm(algorithm.name, request.operation).build(request.operation);
  std::vector<Schedule> schedules;
  schedules.reserve(request.peers);
  for (request.rank = 0; request.rank < request.peers; ++request.rank) {
    schedules.push_back(build(request));
  }
  return schedules;
}

}  // namespace starling::collective
