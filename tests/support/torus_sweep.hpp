// All operations of a torus algorithm proved on one torus.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "starling/collective/dims.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::testing {

/// "multiported-torus" -> "multiported-torus:4x4", "multiported-torus:4x4:colors=1" and so on:
/// every number of colors, every layout, both kinds of weights.
inline std::vector<std::string> torus_variants(const std::vector<std::size_t>& dims) {
  const std::string on = ":" + collective::dims_text(dims);
  std::vector<std::string> variants{"bucket-torus" + on};
  for (const char* name : {"multiported-torus", "half-way-torus"}) {
    for (const char* parameters :
         {"", ":layout=split", ":weights=solved", ":weights=solved:layout=split"}) {
      variants.push_back(name + on + parameters);
    }
  }
  std::size_t colors = 0;
  for (const std::size_t extent : dims) {
    colors += extent > 1 ? 2 : 0;
  }
  for (std::size_t count = 1; count < colors; ++count) {
    variants.push_back("multiported-torus" + on + ":colors=" + std::to_string(count));
  }
  return variants;
}

/// One operation for the lengths 0, 1, p-1, p, p+1 and a large odd one, with unequal and empty
/// parts and from roots at both ends and in the middle.
inline void expect_operation_proved(const std::string& algorithm,
                                    collective::Operation operation,
                                    std::size_t peers) {
  constexpr std::size_t kLarge = 2003;
  collective::Request request{.operation = operation, .peers = peers};
  for (const std::size_t elements :
       {std::size_t{0}, std::size_t{1}, peers - 1, peers, peers + 1, kLarge}) {
    request.elements = elements;
    proved(algorithm, request);
  }
  for (const std::size_t root : std::set{peers / 2, peers - 1}) {
    request.root = root;
    proved(algorithm, request);
  }
  if (!collective::has_parts(operation)) {
    return;
  }
  request.root = 0;
  request.elements = 0;
  for (std::size_t rank = 0; rank < peers; ++rank) {
    request.parts.push_back(rank * 5 % 4);
    request.elements += request.parts.back();
  }
  proved(algorithm, request);
}

inline void expect_torus_proved(const std::vector<std::size_t>& dims) {
  for (const std::string& algorithm : torus_variants(dims)) {
    const std::string name = algorithm.substr(0, algorithm.find(':'));
    for (std::size_t k = 0; k < collective::kOperations; ++k) {
      const auto operation = static_cast<collective::Operation>(k);
      for (const collective::CatalogEntry& each : collective::catalog()) {
        if (each.name == name && each.build(operation) != nullptr) {
          expect_operation_proved(algorithm, operation, collective::product(dims));
        }
      }
    }
  }
}

}  // namespace starling::testing
