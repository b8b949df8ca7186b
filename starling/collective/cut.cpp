#include "starling/collective/cut.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

Cut Cut::equal(std::size_t blocks) {
  Cut cut;
  cut.blocks_ = blocks;
  cut.parts_ = blocks;
  return cut;
}

Cut Cut::regions(std::vector<double> weights, std::size_t parts) {
  ensure(!weights.empty() && parts > 0, "a cut has regions with parts", weights.size(), parts);
  Cut cut;
  cut.blocks_ = weights.size() * parts;
  cut.parts_ = parts;
  const bool equal = std::all_of(
      weights.begin(), weights.end(), [&](double weight) { return weight == weights.front(); });
  double sum = 0.0;
  for (double& weight : weights) {
    ensure(weight >= 0.0, "a region has no negative share", weight);
    sum += weight;
    weight = sum;
  }
  if (!equal) {
    ensure(std::abs(sum - 1.0) < 1e-9, "the shares of all regions sum to 1", sum);
    cut.upto_ = std::move(weights);
  }
  return cut;
}

Cut Cut::at(std::vector<std::size_t> bounds) {
  ensure(!bounds.empty() && bounds.front() == 0 && std::is_sorted(bounds.begin(), bounds.end()),
         "bounds ascend from 0",
         bounds.size());
  Cut cut;
  cut.blocks_ = bounds.size() - 1;
  cut.at_ = std::move(bounds);
  return cut;
}

Cut Cut::of_lengths(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> bounds{0};
  bounds.reserve(lengths.size() + 1);
  for (const std::size_t length : lengths) {
    bounds.push_back(bounds.back() + length);
  }
  return at(std::move(bounds));
}

Range Cut::region(std::size_t index, std::size_t elements) const {
  if (upto_.empty()) {
    return chunk(elements, blocks_ / parts_, index);
  }
  const auto end_of = [&](std::size_t c) {
    if (c + 1 == upto_.size()) {
      return elements;
    }
    const double end = std::floor(static_cast<double>(elements) * upto_[c] + 0.5);
    return std::min(elements, static_cast<std::size_t>(end));
  };
  return {index == 0 ? 0 : end_of(index - 1), end_of(index)};
}

std::size_t Cut::begin_of(std::size_t block, std::size_t elements) const {
  if (!at_.empty()) {
    return at_[block];
  }
  if (block == blocks_) {
    return elements;
  }
  const Range whole = region(block / parts_, elements);
  return whole.begin + chunk(whole.size(), parts_, block % parts_).begin;
}

Range Cut::elements(const Range& run, std::size_t elements) const {
  if (run.empty()) {
    return {0, 0};
  }
  ensure(run.end <= blocks_, "a cut has no such block", run.end, blocks_);
  return {begin_of(run.begin, elements), begin_of(run.end, elements)};
}

std::vector<std::size_t> Cut::bounds(std::size_t elements) const {
  std::vector<std::size_t> all;
  all.reserve(blocks_ + 1);
  for (std::size_t block = 0; block <= blocks_; ++block) {
    all.push_back(begin_of(block, elements));
  }
  return all;
}

std::vector<std::size_t> refined(const std::vector<std::size_t>& a,
                                 const std::vector<std::size_t>& b) {
  std::vector<std::size_t> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Range blocks_within(const std::vector<std::size_t>& bounds, const Range& elements) {
  const auto index_of = [&](std::size_t element) {
    const auto found = std::lower_bound(bounds.begin(), bounds.end(), element);
    ensure(found != bounds.end() && *found == element, "a run of blocks ends at bounds", element);
    return static_cast<std::size_t>(found - bounds.begin());
  };
  if (elements.empty()) {
    return {0, 0};
  }
  return {index_of(elements.begin), index_of(elements.end)};
}

}  // namespace starling::collective
