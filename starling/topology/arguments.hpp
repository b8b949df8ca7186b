// Named arguments of a family: what stands behind its name as KEY=VALUE, separated by colons.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "M=4:eta=0.5" taken apart. Each question takes its argument out; finish() refuses what nobody
/// asked for, so that no argument is ignored.
class Arguments {
 public:
  /// @pre request outlives the arguments
  explicit Arguments(const Request& request);

  /// The whole number behind `key`, at least 1; nothing if it is not given. Refuses others.
  std::optional<std::size_t> count(const std::string& key);

  /// The number behind `key`, above 0 and at most 1; nothing if it is not given. Refuses others.
  std::optional<double> fraction(const std::string& key);

  /// Refuses arguments that are left, with the nearest one that was asked for.
  void finish() const;

 private:
  const Request& request_;
  std::vector<std::string> left_;
  std::vector<std::string> known_;

  std::optional<std::string> take(const std::string& key);
};

}  // namespace starling::topology
