#include "starling/cli/timing_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "starling/cli/table.hpp"
#include "starling/core/byte_size.hpp"

namespace starling::cli {

namespace {

using trainer::TimingRow;

// In pixels.
constexpr double kWidth = 960;
constexpr double kHeightMin = 560;
constexpr double kLeft = 80;
constexpr double kRight = 720;  // of the frame; names stand beside it
constexpr double kTop = 50;
constexpr double kBelow = 60;  // the frame
constexpr double kNameHeight = 16;

/// What one algorithm took.
struct Curve {
  std::string name;
  std::vector<TimingRow> rows;
  double name_y = 0.0;
};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // XML has no way to write the others, not even escaped.
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

bool is_drawn(const TimingRow& row) {
  return row.bytes > 0 && row.seconds_median > 0.0 && row.predicted_seconds > 0.0;
}

std::vector<Curve> curves_of(std::span<const TimingRow> rows) {
  std::vector<Curve> curves;
  for (const TimingRow& row : rows) {
    if (!is_drawn(row)) {
      continue;
    }
    auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve& curve) {
      return curve.name == row.algorithm;
    });
    if (found == curves.end()) {
      found = curves.insert(found, Curve{.name = row.algorithm, .rows = {}});
    }
    found->rows.push_back(row);
  }
  return curves;
}

/// One logarithmic axis: values to pixels.
class Axis {
 public:
  Axis(double from, double to) : from_(from), to_(to) {}

  void include(double value) {
    least_ = std::min(least_, std::log2(value));
    most_ = std::max(most_, std::log2(value));
  }

  /// So that there is something to see of a single value, and no line lies on the frame.
  void widen(double by) {
    least_ -= by;
    most_ += by;
  }

  [[nodiscard]] bool is_empty() const { return most_ < least_; }

  [[nodiscard]] double least() const { return std::exp2(least_); }

  [[nodiscard]] double most() const { return std::exp2(most_); }

  [[nodiscard]] double at(double value) const {
    return from_ + (std::log2(value) - least_) / (most_ - least_) * (to_ - from_);
  }

 private:
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = -std::numeric_limits<double>::infinity();
};

/// As different as so many colours can be, and dark enough to be read: hues from red to red, every
/// second one lighter.
std::string colour(std::size_t index, std::size_t count) {
  constexpr double kSaturation = 0.75;
  const double lightness = index % 2 == 0 ? 0.36 : 0.48;
  const double spread = kSaturation * std::min(lightness, 1.0 - lightness);
  const auto part = [&](double offset) {  // of red, green or blue, by hue in twelfths
    const double at =
        std::fmod(offset + 12.0 * static_cast<double>(index) / static_cast<double>(count), 12.0);
    const double wave = std::max(-1.0, std::min({at - 3.0, 9.0 - at, 1.0}));
    return static_cast<int>(std::lround(255.0 * (lightness - spread * wave)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(8), part(4));
}

class Drawing {
 public:
  explicit Drawing(std::vector<Curve> curves)
      : curves_(std::move(curves)),
        bottom_(std::max(kHeightMin - kBelow,
                         kTop + kNameHeight * static_cast<double>(curves_.size() + 1))),
        x_(kLeft, kRight),
        y_(bottom_, kTop) {
    for (const Curve& curve : curves_) {
      for (const TimingRow& row : curve.rows) {
        x_.include(static_cast<double>(row.bytes));
        y_.include(row.seconds_median);
        y_.include(row.predicted_seconds);
      }
    }
    x_.widen(0.5);
    y_.widen(0.5);
  }

  std::string svg(const std::string& title) {
    text_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
        "<text x=\"{3}\" y=\"24\" font-size=\"15\">{2}</text>\n",
        kWidth,
        bottom_ + kBelow,
        escaped(title),
        kLeft);
    if (x_.is_empty()) {
      text_ += fmt::format("<text x=\"{}\" y=\"{}\">nothing took any time</text>\n", kLeft, kTop);
    } else {
      draw_sizes();
      draw_times();
      draw_curves();
    }
    return text_ + "</svg>\n";
  }

 private:
  std::vector<Curve> curves_;
  double bottom_;
  Axis x_;
  Axis y_;
  std::string text_;

  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                         x1,
                         y1,
                         x2,
                         y2,
                         style);
  }

  void label(double x, double y, const std::string& style, const std::string& text) {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(text));
  }

  /// Powers of two, as many as there is room for.
  void draw_sizes() {
    constexpr int kLabelsMax = 12;
    const auto first = static_cast<int>(std::ceil(std::log2(x_.least())));
    const auto last = static_cast<int>(std::floor(std::log2(x_.most())));
    const int step = std::max(1, (last - first + kLabelsMax) / kLabelsMax);
    for (int power = first; power <= last; power += step) {
      const double x = x_.at(std::exp2(power));
      line(x, kTop, x, bottom_, "stroke=\"#dddddd\"");
      label(x,
            bottom_ + 18,
            "text-anchor=\"middle\"",
            bytes_text(static_cast<std::size_t>(std::exp2(power))));
    }
    label((kLeft + kRight) / 2, bottom_ + 42, "text-anchor=\"middle\"", "size of the vector");
  }

  /// Decades with their names, the lines between them without.
  void draw_times() {
    const auto first = static_cast<int>(std::floor(std::log10(y_.least())));
    const auto last = static_cast<int>(std::ceil(std::log10(y_.most())));
    for (int decade = first; decade <= last; ++decade) {
      for (int digit = 1; digit <= 9; ++digit) {
        const double time = digit * std::pow(10.0, decade);
        if (time < y_.least() || time > y_.most()) {
          continue;
        }
        const double y = y_.at(time);
        line(kLeft, y, kRight, y, digit == 1 ? "stroke=\"#bbbbbb\"" : "stroke=\"#eeeeee\"");
        if (digit == 1) {
          label(kLeft - 8, y + 4, "text-anchor=\"end\"", human_seconds(time));
        }
      }
    }
    text_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>\n",
        kLeft,
        kTop,
        kRight - kLeft,
        bottom_ - kTop);
  }

  void draw_curves() {
    place_names();
    for (std::size_t k = 0; k < curves_.size(); ++k) {
      draw_curve(curves_[k], colour(k, curves_.size()));
    }
    label(kRight, bottom_ + 42, "text-anchor=\"end\" fill=\"#666666\"", "dashed: predicted");
  }

  /// Each beside the end of its line, pushed down where two would overlap, and all up again where
  /// they would leave the frame.
  void place_names() {
    std::vector<Curve*> order;
    for (Curve& curve : curves_) {
      curve.name_y = y_.at(curve.rows.back().seconds_median);
      order.push_back(&curve);
    }
    std::stable_sort(order.begin(), order.end(), [](const Curve* a, const Curve* b) {
      return a->name_y < b->name_y;
    });
    for (std::size_t k = 1; k < order.size(); ++k) {
      order[k]->name_y = std::max(order[k]->name_y, order[k - 1]->name_y + kNameHeight);
    }
    double limit = bottom_;
    for (std::size_t k = order.size(); k-- > 0;) {
      order[k]->name_y = std::min(order[k]->name_y, limit);
      limit = order[k]->name_y - kNameHeight;
    }
  }

  void draw_curve(const Curve& curve, const std::string& paint) {
    std::string measured;
    std::string predicted;
    for (const TimingRow& row : curve.rows) {
      const double x = x_.at(static_cast<double>(row.bytes));
      measured += fmt::format("{:.1f},{:.1f} ", x, y_.at(row.seconds_median));
      predicted += fmt::format("{:.1f},{:.1f} ", x, y_.at(row.predicted_seconds));
    }
    text_ += fmt::format("<g stroke=\"{}\" fill=\"none\">\n", paint);
    text_ += fmt::format("<polyline stroke-width=\"2\" points=\"{}\"/>\n", measured);
    text_ += fmt::format(
        "<polyline stroke-width=\"1.2\" stroke-dasharray=\"5 4\" points=\"{}\"/>\n", predicted);
    for (const TimingRow& row : curve.rows) {
      text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                           x_.at(static_cast<double>(row.bytes)),
                           y_.at(row.seconds_median),
                           paint);
    }
    const TimingRow& last = curve.rows.back();
    line(x_.at(static_cast<double>(last.bytes)),
         y_.at(last.seconds_median),
         kRight + 10,
         curve.name_y,
         "stroke-width=\"0.6\"");
    text_ += "</g>\n";
    label(kRight + 14, curve.name_y + 4, fmt::format("fill=\"{}\"", paint), curve.name);
  }
};

}  // namespace

std::string timing_plot(std::span<const TimingRow> rows, const std::string& title) {
  return Drawing(curves_of(rows)).svg(title);
}

}  // namespace starling::cli
