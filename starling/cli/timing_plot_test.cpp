#include "starling/cli/timing_plot.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using trainer::TimingRow;

TimingRow row(std::string algorithm, std::size_t bytes, double seconds) {
  TimingRow made;
  made.algorithm = made.chosen = std::move(algorithm);
  made.peers = 4;
  made.bytes = bytes;
  made.seconds_median = made.seconds_min = seconds;
  made.predicted_seconds = 0.9 * seconds;
  return made;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// Why `text` is no well-formed XML, as far as we use it: elements nest, attributes are quoted,
/// nothing is left bare. Empty: it is.
std::string flaw(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&' && text.compare(at, 5, "&amp;") != 0 && text.compare(at, 4, "&lt;") != 0 &&
        text.compare(at, 4, "&gt;") != 0 && text.compare(at, 6, "&quot;") != 0) {
      return "a bare & at " + text.substr(at, 20);
    }
    if (text[at] == '>') {
      return "a bare > at " + text.substr(at, 20);
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) {
      return "a tag without end";
    }
    const std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (count(tag, "\"") % 2 != 0 || tag.find('<') != std::string::npos) {
      return "a quote or < inside <" + tag + ">";
    }
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '?') {
      continue;
    }
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) {
        return "an end without beginning: " + tag;
      }
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "no end of " + open.back();
}

TEST(TimingPlot, HasALineAndADashedOneForEveryAlgorithm) {
  const std::vector<TimingRow> rows{row("ring", 1024, 1e-4),
                                    row("circulant", 1024, 5e-5),
                                    row("ring", 4096, 2e-4),
                                    row("circulant", 4096, 1e-4)};
  const std::string svg = timing_plot(rows, "all-reduce, 4 peers");
  EXPECT_EQ(flaw(svg), "");
  EXPECT_EQ(count(svg, "<polyline"), 4U);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 2U);
  EXPECT_EQ(count(svg, "<circle"), 4U);
  for (const char* part :
       {">ring<", ">circulant<", ">all-reduce, 4 peers<", ">1KiB<", ">4KiB<", ">100 us<"}) {
    EXPECT_EQ(count(svg, part) > 0, true) << part;
  }
}

TEST(TimingPlot, NamesDoNotOverlapNorLeaveTheDrawing) {
  std::vector<TimingRow> rows;
  for (int k = 0; k < 40; ++k) {
    rows.push_back(row("algorithm-" + std::to_string(k), 1 << 20, 1e-3 + 1e-9 * k));
  }
  const std::string svg = timing_plot(rows, "many");
  EXPECT_EQ(flaw(svg), "");
  const std::size_t height_at = svg.find("height=\"") + 8;
  const double height = std::stod(svg.substr(height_at));
  std::vector<double> ys;
  for (int k = 0; k < 40; ++k) {
    const std::size_t end = svg.find(">algorithm-" + std::to_string(k) + "<");
    ASSERT_NE(end, std::string::npos);
    ys.push_back(std::stod(svg.substr(svg.rfind("y=\"", end) + 3)));
  }
  std::sort(ys.begin(), ys.end());
  EXPECT_GT(ys.front(), 0.0);
  EXPECT_LT(ys.back(), height);
  for (std::size_t k = 1; k < ys.size(); ++k) {
    EXPECT_GE(ys[k] - ys[k - 1], 12.0);  // the height of the letters
  }
}

TEST(TimingPlot, IsWellFormedWhateverThingsAreCalled) {
  const std::vector<TimingRow> rows{row("a<b&\"c\">\x01", 3, 2.0)};
  EXPECT_EQ(flaw(timing_plot(rows, "<&>\"'\n")), "");
}

TEST(TimingPlot, WhatTookNoTimeIsNotDrawn) {
  const std::string svg =
      timing_plot(std::vector{row("ring", 1024, 0.0), row("ring", 0, 1.0)}, "alone");
  EXPECT_EQ(flaw(svg), "");
  EXPECT_EQ(count(svg, "<polyline"), 0U);
  EXPECT_EQ(count(svg, "nothing took any time"), 1U);
  EXPECT_EQ(flaw(timing_plot({}, "nothing")), "");
}

}  // namespace
}  // namespace starling::cli
