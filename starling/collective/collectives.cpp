#include "starling/collective/collectives.hpp"

#include "starling/collective/collective.hpp"

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
  }
  return "unknown";
}

void all_reduce(const Group& group,
                std::span<const float> input,
                std::span<float> output,
                Reduction reduction,
                const CollectiveOptions& options) {
  Collective(group).all_reduce(input, output, reduction, options);
}

void all_reduce(const Group& group,
                std::span<float> values,
                Reduction reduction,
                const CollectiveOptions& options) {
  Collective(group).all_reduce(values, reduction, options);
}

void broadcast(const Group& group,
               std::span<float> values,
               std::size_t root,
               const CollectiveOptions& options) {
  Collective(group).broadcast(values, root, options);
}

void reduce(const Group& group,
            std::span<const float> input,
            std::span<float> output,
            std::size_t root,
            const CollectiveOptions& options) {
  Collective(group).reduce(input, output, root, options);
}

void all_gather(const Group& group,
                std::span<const float> input,
                std::span<float> output,
                const CollectiveOptions& options) {
  Collective(group).all_gather(input, output, options);
}

void reduce_scatter(const Group& group,
                    std::span<const float> input,
                    std::span<float> output,
                    const CollectiveOptions& options) {
  Collective(group).reduce_scatter(input, output, options);
}

void barrier(const Group& group, const CollectiveOptions& options) {
  Collective(group).barrier(options);
}

}  // namespace starling::collective
