#include "starling/collective/price.hpp"

#include <algorithm>
#include <utility>

#include "starling/collective/catalog.hpp"

namespace starling::collective {

namespace {

/// Long enough that latencies do not matter, so many times a power of two that most cuts are even.
constexpr std::size_t kLongElements = std::size_t{1} << 30U;

constexpr std::size_t kLongestBytes = std::size_t{1} << 40U;

bool is_priced(const CatalogEntry& entry, const Request& request) {
  return entry.same_bits_everywhere && !entry.takes.segment && !entry.why_not(request);
}

}  // namespace

std::vector<Price> prices(Operation operation, std::size_t peers, const LinkModel& link) {
  std::vector<Price> all;
  for (const std::string& name : names_for(operation)) {
    const Choice choice = find_algorithm(name, operation);
    const auto predicted = [&](std::size_t elements) {
      Request request{.operation = operation, .peers = peers, .elements = elements};
      choice.fill_in(request, sizeof(float), link.torus);
      return predict(schedules_of(*choice.entry, request), elements, sizeof(float), link);
    };
    Request request{.operation = operation, .peers = peers};
    choice.fill_in(request, sizeof(float), link.torus);
    if (!is_priced(*choice.entry, request)) {
      continue;
    }
    Price price{.algorithm = name, .fixed = predicted(0)};
    constexpr auto kLongBytes = static_cast<double>(kLongElements * sizeof(float));
    price.per_byte = (predicted(kLongElements) - price.fixed) / kLongBytes;
    all.push_back(std::move(price));
  }
  return all;
}

std::vector<MeasuredChoice> cheapest(Operation operation,
                                     std::size_t peers,
                                     const std::vector<Price>& prices) {
  std::vector<MeasuredChoice> choices;
  if (prices.empty()) {
    return choices;
  }
  for (std::size_t bytes = 1; bytes <= kLongestBytes; bytes += (bytes + 7) / 8) {
    const auto best =
        std::min_element(prices.begin(), prices.end(), [bytes](const Price& a, const Price& b) {
          return a.of(bytes) < b.of(bytes);
        });
    if (choices.empty() || choices.back().algorithm != best->algorithm) {
      choices.push_back({operation, peers, choices.empty() ? 0 : bytes, best->algorithm});
    }
  }
  return choices;
}

Selection priced_selection(std::size_t peers, const LinkModel& link) {
  Selection selection{.link = link, .measured = {}};
  for (const Operation operation : {Operation::all_reduce,
                                    Operation::broadcast,
                                    Operation::reduce,
                                    Operation::all_gather,
                                    Operation::reduce_scatter}) {
    const auto choices = cheapest(operation, peers, prices(operation, peers, link));
    selection.measured.insert(selection.measured.end(), choices.begin(), choices.end());
  }
  return selection;
}

}  // namespace starling::collective
