#include "starling/model/initialise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "starling/core/ensure.hpp"

namespace starling::model {

void initialise(const Layout& layout, std::span<float> parameters, Random& random) {
  ensure(parameters.size() == layout.elements(),
         "one float per parameter",
         parameters.size(),
         layout.elements());
  const auto tensors = layout.tensors();
  for (std::size_t k = 0; k + 1 < tensors.size(); k += 2) {
    const TensorLayout& weight = tensors[k];
    const TensorLayout& bias = tensors[k + 1];
    const std::size_t fan_in = weight.elements() / weight.shape.front();
    const double squared_gain = k + 2 == tensors.size() ? 1.0 : 2.0;
    const double bound = std::sqrt(3.0 * squared_gain / static_cast<double>(fan_in));
    for (float& value : parameters.subspan(weight.offset, weight.elements())) {
      value = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
    }
    std::ranges::fill(parameters.subspan(bias.offset, bias.elements()), 0.0F);
  }
}

}  // namespace starling::model
