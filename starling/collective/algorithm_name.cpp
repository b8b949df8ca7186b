// Names of algorithms with their parameters, and what they stand for.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/collective/dims.hpp"
#include "starling/core/byte_size.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::collective {

namespace {

std::size_t positive(std::optional<std::size_t> number, std::string_view text) {
  if (!number || *number == 0) {
    throw ConfigError("a positive number is needed, found '" + std::string(text) + "'");
  }
  return *number;
}

Layout parse_layout(std::string_view text) {
  if (text == "relaxed") {
    return Layout::relaxed;
  }
  if (text == "split") {
    return Layout::split_blocks;
  }
  throw ConfigError("layout is relaxed or split, found '" + std::string(text) + "'");
}

ColorWeights parse_weights(std::string_view text) {
  if (text == "equal") {
    return ColorWeights::equal;
  }
  if (text == "solved") {
    return ColorWeights::solved;
  }
  throw ConfigError("weights is equal or solved, found '" + std::string(text) + "'");
}

/// Whether `entry` takes the parameter that begins `text`; puts its value into `choice`.
bool take_parameter(std::string_view text, Choice& choice) {
  const Takes& takes = choice.entry->takes;
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) {
    if (takes.dims) {
      choice.dims = parse_dims(text);
    }
    return takes.dims;
  }
  const std::string_view key = text.substr(0, sign);
  const std::string_view value = text.substr(sign + 1);
  if (key == "colors" && takes.colors_an_axis > 0) {
    choice.colors = positive(parse_size(value), value);
    return true;
  }
  if (key == "layout" && takes.layout) {
    choice.layout = parse_layout(value);
    return true;
  }
  if (key == "weights" && takes.weights) {
    choice.weights = parse_weights(value);
    return true;
  }
  if (key == "segment" && takes.segment) {
    choice.segment_bytes = positive(parse_bytes(value), value);
    return true;
  }
  return false;
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

std::vector<std::string> names_for(Operation operation) {
  std::vector<std::string> names;
  for (const CatalogEntry& each : catalog()) {
    if (each.build(operation) != nullptr) {
      names.push_back(each.name);
    }
  }
  return names;
}

std::optional<std::string> CatalogEntry::why_not(const Request& request) const {
  if (build(request.operation) == nullptr) {
    return "offers " + operations() + ", not " + to_string(request.operation);
  }
  if (takes.dims && !request.dims.empty() && product(request.dims) != request.peers) {
    return "the extents " + dims_text(request.dims) + " hold " +
           std::to_string(product(request.dims)) + " peers, there are " +
           std::to_string(request.peers);
  }
  return objection == nullptr ? std::nullopt : objection(request);
}

std::vector<Parameter> CatalogEntry::parameters() const {
  std::vector<Parameter> taken;
  if (takes.dims) {
    taken.push_back({.name = "dims",
                     .form = "AxBxC",
                     .standard = "the network's torus if there is one, else two near-equal extents",
                     .meaning = "extents of a torus, or groups in groups from the outermost; their "
                                "product is the number of peers"});
  }
  if (takes.colors_an_axis > 0) {
    const std::string most = std::to_string(takes.colors_an_axis);
    taken.push_back(
        {.name = "colors",
         .form = "colors=N",
         .standard = "as many as there are, " + most + " for every axis longer than 1",
         .meaning = "slices of the vector that move at the same time, each another way"});
  }
  if (takes.layout) {
    taken.push_back({.name = "layout",
                     .form = "layout=relaxed|split",
                     .standard = "relaxed",
                     .meaning =
                         "relaxed: every message in one piece, and one more round where ranks "
                         "have parts; split: messages are packed"});
  }
  if (takes.weights) {
    taken.push_back({.name = "weights",
                     .form = "weights=equal|solved",
                     .standard = "equal",
                     .meaning =
                         "sizes of the slices; solved: such that the links of long and short "
                         "axes carry the same"});
  }
  if (takes.segment) {
    taken.push_back({.name = "segment",
                     .form = "segment=BYTES",
                     .standard = bytes_text(kSegmentBytes),
                     .meaning = "length of a message of the pipeline"});
  }
  return taken;
}

std::string CatalogEntry::parameter_forms() const {
  std::string text;
  for (const Parameter& each : parameters()) {
    text += (text.empty() ? "" : ", ") + each.form;
  }
  return text;
}

void Choice::fill_in(Request& request,
                     std::size_t element_bytes,
                     std::span<const std::size_t> declared) const {
  constexpr std::size_t kAxes = 2;
  request.colors = colors;
  request.layout = layout;
  request.weights = weights;
  if (entry->takes.segment) {
    const std::size_t bytes = segment_bytes == 0 ? kSegmentBytes : segment_bytes;
    request.segment = std::max<std::size_t>(1, bytes / element_bytes);
  }
  if (!entry->takes.dims) {
    return;
  }
  request.dims = dims;
  if (dims.empty() && !declared.empty() && product(declared) == request.peers) {
    request.dims.assign(declared.begin(), declared.end());
  } else if (dims.empty()) {
    request.dims = even_dims(request.peers, kAxes);
  }
}

Choice find_algorithm(std::string_view text, Operation operation) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::vector<std::string> all{"auto"};
  Choice choice;
  for (const CatalogEntry& each : catalog()) {
    all.push_back(each.name);
    if (each.name == name) {
      choice.entry = &each;
    }
  }
  if (choice.entry == nullptr) {
    throw ConfigError("collective: no algorithm is called '" + std::string(name) + "'" +
                      suggestion(name, all));
  }
  if (choice.entry->build(operation) == nullptr) {
    throw ConfigError("collective: '" + choice.entry->name + "' offers " +
                      choice.entry->operations() + ", not " + to_string(operation) +
                      suggestion("", names_for(operation)));
  }
  std::set<std::string_view> given;
  for (std::string_view rest = text.substr(name.size()); !rest.empty();) {
    const std::string_view parameter = rest.substr(1, rest.find(':', 1) - 1);
    const std::size_t sign = parameter.find('=');
    const std::string_view key =
        sign == std::string_view::npos ? "dims" : parameter.substr(0, sign);
    if (!take_parameter(parameter, choice)) {
      const std::string known = choice.entry->parameter_forms();
      throw ConfigError("collective: '" + choice.entry->name + "' does not take '" +
                        std::string(parameter) + "'; " +
                        (known.empty() ? "it has no parameters" : "it takes " + known));
    }
    if (!given.insert(key).second) {
      throw ConfigError("collective: '" + std::string(text) + "': '" + std::string(key) +
                        "' is given twice");
    }
    rest.remove_prefix(1 + parameter.size());
  }
  return choice;
}

Schedule make_schedule(const CatalogEntry& algorithm, const Request& request) {
  if (const auto reason = algorithm.why_not(request)) {
    throw ConfigError("collective " + algorithm.name + ": " + *reason);
  }
  return algorithm.build(request.operation)(request);
}

std::vector<Schedule> schedules_of(const CatalogEntry& algorithm, Request request) {
  std::vector<Schedule> schedules;
  schedules.reserve(request.peers);
  for (request.rank = 0; request.rank < request.peers; ++request.rank) {
    schedules.push_back(make_schedule(algorithm, request));
  }
  return schedules;
}

}  // namespace starling::collective
