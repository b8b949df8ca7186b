#include "starling/objective/network_name.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::objective {

namespace {

constexpr std::size_t kMaxWidth = 65536;
constexpr std::size_t kMaxLayers = 16;
constexpr std::string_view kDropout = "dropout=";

struct Line {
  const char* name;
  NetworkFamily family;
};

constexpr std::array kLines{Line{"linear", NetworkFamily::linear},
                            Line{"mlp", NetworkFamily::mlp},
                            Line{"cnn", NetworkFamily::cnn}};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw ConfigError("model '" + name + "': " + why);
}

NetworkFamily family_of(const std::string& word) {
  std::vector<std::string> known;
  for (const Line& line : kLines) {
    if (word == line.name) {
      return line.family;
    }
    known.emplace_back(line.name);
  }
  throw ConfigError("there is no network '" + word + "'" + suggestion(word, known));
}

std::vector<std::size_t> parse_sizes(const std::string& name, const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& part : split(text, 'x')) {
    const std::optional<std::size_t> size = parse_size(part);
    if (!size || *size == 0 || *size > kMaxWidth) {
      refuse(name,
             "a size must be a whole number from 1 to " + std::to_string(kMaxWidth) + ", found '" +
                 part + "'; sizes are written like 512x256");
    }
    sizes.push_back(*size);
  }
  if (sizes.size() > kMaxLayers) {
    refuse(
        name,
        "at most " + std::to_string(kMaxLayers) + " sizes, found " + std::to_string(sizes.size()));
  }
  return sizes;
}

double parse_dropout(const std::string& name, const std::string& text) {
  const std::optional<double> rate = parse_double(text);
  if (!rate || !(*rate >= 0.0 && *rate < 1.0)) {
    refuse(name, "dropout must be a number from 0 to below 1, found '" + text + "'");
  }
  return *rate;
}

}  // namespace

NetworkName parse_network_name(const std::string& name) {
  const std::vector<std::string> parts = split(name, ':');
  NetworkName parsed{.family = family_of(parts.front()), .sizes = {}, .dropout = 0.0};
  if (parsed.family == NetworkFamily::linear && parts.size() > 1) {
    refuse(name, "linear takes no arguments; layers are added with mlp:WIDTH");
  }
  bool has_dropout = false;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].starts_with(kDropout)) {
      if (std::exchange(has_dropout, true)) {
        refuse(name, "'dropout' is given twice");
      }
      parsed.dropout = parse_dropout(name, parts[k].substr(kDropout.size()));
    } else if (k == 1) {
      parsed.sizes = parse_sizes(name, parts[k]);
    } else {
      refuse(name, "behind the sizes only dropout=RATE is understood, found '" + parts[k] + "'");
    }
  }
  return parsed;
}

}  // namespace starling::objective
