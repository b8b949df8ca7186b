#include "starling/collective/reduction.hpp"

namespace starling::collective {

const char* to_string(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::sum:
      return "sum";
    case Reduction::mean:
      return "mean";
    case Reduction::min:
      return "min";
    case Reduction::max:
      return "max";
    case Reduction::product:
      return "product";
  }
  return "unknown";
}

}  // namespace starling::collective
