// What may be written behind the name of an algorithm: what is told of it and what is read agree.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/dims.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using ::starling::testing::ask;

/// Every value that a parameter can have, or examples where there are many.
std::vector<std::string> values_of(const Parameter& parameter) {
  const std::string choices = parameter.form.substr(parameter.form.find('=') + 1);
  if (parameter.name == "dims") {
    return {"4x4", "16"};
  }
  if (choices.find('|') != std::string::npos) {
    return split(choices, '|');
  }
  return {"1", "2"};
}

std::string written(const Parameter& parameter, const std::string& value) {
  const std::size_t sign = parameter.form.find('=');
  return ":" + (sign == std::string::npos ? value : parameter.form.substr(0, sign + 1) + value);
}

Operation some_operation(const CatalogEntry& entry) {
  std::size_t index = 0;
  while (entry.builds.at(index) == nullptr) {
    ++index;
  }
  return static_cast<Operation>(index);
}

std::vector<Parameter> all_parameters() {
  std::vector<Parameter> all;
  for (const CatalogEntry& entry : catalog()) {
    for (const Parameter& each : entry.parameters()) {
      if (std::find(all.begin(), all.end(), each) == all.end()) {
        all.push_back(each);
      }
    }
  }
  return all;
}

bool takes(const CatalogEntry& entry, const Parameter& parameter) {
  const std::vector<Parameter> taken = entry.parameters();
  return std::any_of(taken.begin(), taken.end(), [&](const Parameter& each) {
    return each.name == parameter.name;
  });
}

TEST(Parameters, ThoseThatAreToldAreReadAndNoOthers) {
  ASSERT_EQ(all_parameters().size(), 6U) << "five, of which one has two defaults";
  for (const CatalogEntry& entry : catalog()) {
    for (const Parameter& parameter : all_parameters()) {
      for (const std::string& value : values_of(parameter)) {
        const std::string text = entry.name + written(parameter, value);
        if (takes(entry, parameter)) {
          EXPECT_NO_THROW((void)find_algorithm(text, some_operation(entry))) << text;
        } else {
          EXPECT_THROW((void)find_algorithm(text, some_operation(entry)), ConfigError) << text;
        }
      }
    }
  }
}

TEST(Parameters, DefaultsAreWhatIsFilledIn) {
  std::size_t compared = 0;
  for (const CatalogEntry& entry : catalog()) {
    const Request request{.operation = some_operation(entry), .peers = 16, .elements = 1000};
    for (const Parameter& parameter : entry.parameters()) {
      if (parameter.name == "dims" || parameter.name == "colors") {
        continue;  // in words; below
      }
      const std::string given = entry.name + written(parameter, parameter.standard);
      EXPECT_EQ(ask(given, request).request, ask(entry.name, request).request) << given;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 8U);
}

TEST(Parameters, LeftOutExtentsAreThoseOfTheNetworkElseTwoNearEqualOnes) {
  const Choice choice = find_algorithm("bucket-torus", Operation::all_reduce);
  Request request{.peers = 24};
  choice.fill_in(request, sizeof(float));
  EXPECT_EQ(dims_text(request.dims), "6x4");
  choice.fill_in(request, sizeof(float), std::vector<std::size_t>{2, 3, 4});
  EXPECT_EQ(dims_text(request.dims), "2x3x4");
  choice.fill_in(request, sizeof(float), std::vector<std::size_t>{5, 5});
  EXPECT_EQ(dims_text(request.dims), "6x4") << "a network of another size is none";
}

TEST(Parameters, LeftOutColorsAreAllThatThereAre) {
  constexpr std::size_t kAxes = 2;
  for (const CatalogEntry& entry : catalog()) {
    const std::size_t most = kAxes * entry.takes.colors_an_axis;
    if (most == 0) {
      continue;
    }
    // Powers of two suit all but one, which needs powers of three.
    const std::size_t extent = entry.name == "trivance-latency" ? 3 : 4;
    const Request request{.peers = extent * extent, .elements = 1000};
    EXPECT_EQ(ask(entry.name, request).schedule(0).lanes.size(), most) << entry.name;
    const std::string too_many = entry.name + ":colors=" + std::to_string(most + 1);
    EXPECT_THROW((void)ask(too_many, request).schedule(0), ConfigError) << too_many;
    const std::string told = " " + std::to_string(entry.takes.colors_an_axis) + " for every axis";
    EXPECT_NE(entry.parameters().at(1).standard.find(told), std::string::npos) << entry.name;
  }
}

TEST(Parameters, ARefusalTellsThoseThatThereAre) {
  try {
    (void)find_algorithm("swing:weights=solved", Operation::all_reduce);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "collective: 'swing' does not take 'weights=solved'; it takes AxBxC, colors=N, "
                 "layout=relaxed|split");
  }
}

TEST(AlgorithmName, TakesAParameterOnce) {
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {"bucket-torus:2x2:4x1", "dims"},
           {"multiported-torus:colors=2:2x2:colors=2", "colors"},
           {"multiported-torus:layout=split:layout=relaxed", "layout"}}) {
    try {
      (void)find_algorithm(text, Operation::all_reduce);
      FAIL() << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), "collective: '" + text + "': '" + key + "' is given twice");
    }
  }
}

}  // namespace
}  // namespace starling::collective
