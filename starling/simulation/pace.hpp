// How fast one host computes, over time: its speed, and the spells in which it is slow or paused.
#pragma once

#include <vector>

#include "starling/core/time.hpp"

namespace starling::simulation {

/// Speed times `factor` during [from, until); 0 is a pause.
struct Spell {
  Time from{};
  Time until{};
  double factor = 1.0;
};

class Pace {
 public:
  /// @pre speed > 0; no factor is negative; a pause ends. Spells may overlap: factors multiply.
  explicit Pace(double speed = 1.0, const std::vector<Spell>& spells = {});

  /// When work of `cost` (at speed 1) is done that begins at `start`.
  [[nodiscard]] Time finish(Time start, Duration cost) const;

  /// `time`, or the end of the pauses it falls into: the first moment anything can run.
  [[nodiscard]] Time awake(Time time) const;

 private:
  struct Step {
    Time until{};
    double speed = 1.0;
  };

  std::vector<Step> steps_;  // adjoining, the last one without end

  [[nodiscard]] std::vector<Step>::const_iterator step_at(Time time) const;
};

}  // namespace starling::simulation
