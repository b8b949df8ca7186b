// Collectives asked for as a user would, for tests that check schedules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/checker.hpp"

namespace starling::testing {

/// "name:n" and what else is written behind it.
inline std::string on_ring(std::string_view name, std::size_t n, std::string_view more = "") {
  std::string text(name);
  text += ':';
  text += std::to_string(n);
  text += more;
  return text;
}

/// A request and who fulfils it.
struct Asked {
  const collective::CatalogEntry* entry = nullptr;
  collective::Request request;

  /// The schedules of all ranks. @throws ConfigError with the entry's objection
  [[nodiscard]] std::vector<collective::Schedule> schedules() const {
    return collective::schedules_of(*entry, request);
  }

  [[nodiscard]] collective::Schedule schedule(std::size_t rank) const {
    collective::Request of_rank = request;
    of_rank.rank = rank;
    return collective::make_schedule(*entry, of_rank);
  }

  [[nodiscard]] collective::Verdict verdict() const {
    return collective::check(request, schedules());
  }
};

/// @param algorithm a name with parameters: "multiported-torus:4x4:colors=2"
inline Asked ask(std::string_view algorithm, collective::Request request) {
  const collective::Choice choice = collective::find_algorithm(algorithm, request.operation);
  choice.fill_in(request, sizeof(float));
  return {choice.entry, std::move(request)};
}

/// What the checker says; a flaw fails the test.
inline collective::Verdict proved(std::string_view algorithm, const collective::Request& request) {
  collective::Verdict verdict = ask(algorithm, request).verdict();
  EXPECT_EQ(verdict.flaw, std::nullopt)
      << algorithm << " " << to_string(request.operation) << " n=" << request.peers
      << " root=" << request.root << " elements=" << request.elements;
  return verdict;
}

}  // namespace starling::testing
