// Names with arguments as people type them: "shards:2", "quadratic:d=50:zeta=1",
// "synthetic-logistic:iid".
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling::objective {

/// A name and what stands behind its colons. Each question takes its argument out; finish() refuses
/// what nobody asked for, so that no argument is ignored.
class Spec {
 public:
  /// Allowed values, both ends included; NaN is never allowed.
  struct Limits {
    double least = 0.0;
    double most = std::numeric_limits<double>::max();
  };

  /// `part` opens the messages: "partition", "model", "data".
  Spec(std::string_view part, std::string_view text);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// The value of `key=...`. @throws ConfigError if it is no number or outside the limits
  double number(const std::string& key, double fallback, const Limits& limits);

  /// The same for whole numbers.
  std::size_t count(const std::string& key, std::size_t fallback, const Limits& limits);

  /// True if the bare word stands there.
  bool flag(const std::string& word);

  /// The first argument without '='. Ask for flags before. @throws ConfigError if there is none
  std::string positional(const std::string& meaning);

  /// A number that must stand there without a key, e.g. the K of "shards:K".
  double positional_number(const std::string& meaning, const Limits& limits);
  std::size_t positional_count(const std::string& meaning, const Limits& limits);

  /// @throws ConfigError for arguments that are left, with the nearest one that was asked for
  void finish() const;

  /// ConfigError in this spec's voice: "model 'quadratic:d=0': <what>".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string part_;
  std::string text_;
  std::string name_;
  std::vector<std::string> arguments_;
  std::vector<std::string> known_;

  std::optional<std::string> take_value(const std::string& key);
  [[nodiscard]] double to_number(const std::string& key,
                                 const std::string& value,
                                 const Limits& limits) const;
  [[nodiscard]] std::size_t to_count(const std::string& key,
                                     const std::string& value,
                                     const Limits& limits) const;
};

}  // namespace starling::objective
