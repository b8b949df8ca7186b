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
    case Reduction::product:
      return "product";
  }
  return "unknown";
}

void all_reduce(const Group& group,
                ConstValues input,
                Values output,
                Reduction reduction,
                const CollectiveOptions& options) {
  Collective(group).all_reduce(input, output, reduction, options);
}

void all_reduce(const Group& group,
                Values values,
                Reduction reduction,
                const CollectiveOptions& options) {
  Collective(group).all_reduce(values, reduction, options);
}

void broadcast(const Group& group,
               Values values,
               std::size_t root,
               const CollectiveOptions& options) {
  Collective(group).broadcast(values, root, options);
}

// NOLINTNEXTLINE(readability-function-size): operands, what is asked for, options
void reduce(const Group& group,
            ConstValues input,
            Values output,
            Reduction reduction,
            std::size_t root,
            const CollectiveOptions& options) {
  Collective(group).reduce(input, output, reduction, root, options);
}

void all_gather(const Group& group,
                ConstValues input,
                Values output,
                const CollectiveOptions& options) {
  Collective(group).all_gather(input, output, options);
}

void all_gather(const Group& group,
                ConstValues input,
                Values output,
                std::span<const std::size_t> counts,
                const CollectiveOptions& options) {
  Collective(group).all_gather(input, output, counts, options);
}

void reduce_scatter(const Group& group,
                    ConstValues input,
                    Values output,
                    Reduction reduction,
                    const CollectiveOptions& options) {
  Collective(group).reduce_scatter(input, output, reduction, options);
}

// NOLINTNEXTLINE(readability-function-size): operands, what is asked for, options
void scatter(const Group& group,
             ConstValues input,
             Values output,
             std::size_t elements,
             std::size_t root,
             const CollectiveOptions& options) {
  Collective(group).scatter(input, output, elements, root, options);
}

// NOLINTNEXTLINE(readability-function-size): operands, what is asked for, options
void gather(const Group& group,
            ConstValues input,
            Values output,
            std::size_t elements,
            std::size_t root,
            const CollectiveOptions& options) {
  Collective(group).gather(input, output, elements, root, options);
}

void all_to_all(const Group& group,
                ConstValues input,
                Values output,
                const CollectiveOptions& options) {
  Collective(group).all_to_all(input, output, options);
}

void all_to_all(const Group& group,
                ConstValues input,
                Values output,
                std::span<const std::size_t> counts,
                const CollectiveOptions& options) {
  Collective(group).all_to_all(input, output, counts, options);
}

void barrier(const Group& group, const CollectiveOptions& options) {
  Collective(group).barrier(options);
}

}  // namespace starling::collective
