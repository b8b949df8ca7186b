#include "starling/topology/lattice.hpp"

#include <functional>
#include <numeric>
#include <vector>

#include "starling/core/text.hpp"

namespace starling::topology {

namespace {

using Extents = std::vector<std::size_t>;

enum class Border { open, closed };

Extents most_square(std::size_t peers) {
  std::size_t width = 1;
  for (std::size_t divisor = 1; divisor * divisor <= peers; ++divisor) {
    if (peers % divisor == 0) {
      width = divisor;
    }
  }
  return {width, peers / width};
}

bool is_prime_above_three(std::size_t peers) {
  return peers > 3 && most_square(peers).front() == 1;
}

std::string shape(const std::string& word, std::size_t peers) {
  const Extents extents = most_square(peers);
  return word + ":" + std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + " (" +
         std::to_string(peers) + " peers)";
}

/// The most square shape for n, or for its even neighbours where n is prime.
std::string nearest_shapes(const std::string& word, std::size_t peers) {
  if (!is_prime_above_three(peers)) {
    return "nearest shape: " + shape(word, peers);
  }
  return "nearest shapes: " + shape(word, peers - 1) + ", " + shape(word, peers + 1);
}

Extents parse_extents(const Request& request, const std::string& word) {
  Extents extents;
  for (const std::string& text : split(*request.argument, 'x')) {
    const auto extent = parse_size(text);
    if (!extent || *extent == 0 || extent > request.peers) {
      refuse(request,
             "expected two or three extents from 1 to " + std::to_string(request.peers) +
                 " (the peers) joined by 'x', found '" + *request.argument + "'; " +
                 nearest_shapes(word, request.peers));
    }
    extents.push_back(*extent);
  }
  if (extents.size() < 2 || extents.size() > 3) {
    refuse(request,
           "expected two or three extents joined by 'x', found '" + *request.argument + "'; " +
               nearest_shapes(word, request.peers));
  }
  return extents;
}

Extents extents_of(const Request& request, const std::string& word) {
  if (!request.argument) {
    if (is_prime_above_three(request.peers)) {
      refuse(request,
             std::to_string(request.peers) + " peers are a prime number and fill no " + word +
                 "; " + nearest_shapes(word, request.peers));
    }
    return most_square(request.peers);
  }
  Extents extents = parse_extents(request, word);
  std::size_t left = request.peers;  // divided, not multiplied: nothing overflows
  for (const std::size_t extent : extents) {
    left = left % extent == 0 ? left / extent : 0;
  }
  if (left != 1) {
    refuse(request,
           "the extents must multiply to the number of peers, found " +
               std::to_string(request.peers) + " peers; " + nearest_shapes(word, request.peers));
  }
  return extents;
}

Graph lattice(const Extents& extents, Border border) {
  const std::size_t size =
      std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  Graph graph(size);
  std::size_t stride = size;
  for (const std::size_t extent : extents) {
    stride /= extent;
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::size_t place = rank / stride % extent;
      if (place + 1 < extent) {
        graph.add_edge(rank, rank + stride);
      } else if (border == Border::closed) {
        graph.add_edge(rank, rank - place * stride);
      }
    }
  }
  return graph;
}

}  // namespace

Made make_grid(const Request& request) {
  return make_fixed(request, lattice(extents_of(request, "grid"), Border::open));
}

Made make_torus(const Request& request) {
  return make_fixed(request, lattice(extents_of(request, "torus"), Border::closed));
}

}  // namespace starling::topology
