#include "starling/collective/collective.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/collective/combine.hpp"
#include "starling/core/buffer.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Plans kept: enough for every operation a training loop uses, few enough for a broadcast from
/// every root.
constexpr std::size_t kPlansMax = 16;

bool overlap(std::span<const float> a, std::span<const float> b) {
  const std::less<> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

}  // namespace

Collective::Collective(const Group& group, Selection selection)
    : group_(&group), selection_(std::move(selection)), executor_(group) {}

void Collective::all_reduce(std::span<const float> input,
                            std::span<float> output,
                            Reduction reduction,
                            const CollectiveOptions& options) {
  ensure(input.size() == output.size(), "all_reduce: sizes differ", input.size(), output.size());
  ensure(!overlap(input, output), "all_reduce: output overlaps input", input.size());
  run(Operation::all_reduce, 0, {input, 0, output, 0, input.size()}, reduction, options);
}

void Collective::all_reduce(std::span<float> values,
                            Reduction reduction,
                            const CollectiveOptions& options) {
  Buffer result(values.size_bytes());
  all_reduce(values, result.mutable_values(), reduction, options);
  move_into(result.values(), values, store_for_vector(values.size()));
}

void Collective::broadcast(std::span<float> values,
                           std::size_t root,
                           const CollectiveOptions& options) {
  ensure(root < group_->size(), "broadcast: no such root", root, group_->size());
  if (root == group_->rank()) {
    run(Operation::broadcast, root, {values, 0, values, 0, values.size()}, Reduction::sum, options);
    return;
  }
  Buffer result(values.size_bytes());
  const Operands operands{{}, 0, result.mutable_values(), 0, values.size()};
  run(Operation::broadcast, root, operands, Reduction::sum, options);
  move_into(result.values(), values, store_for_vector(values.size()));
}

void Collective::reduce(std::span<const float> input,
                        std::span<float> output,
                        std::size_t root,
                        const CollectiveOptions& options) {
  ensure(root < group_->size(), "reduce: no such root", root, group_->size());
  ensure(root != group_->rank() || output.size() == input.size(),
         "reduce: sizes differ at the root",
         input.size(),
         output.size());
  ensure(!overlap(input, output), "reduce: output overlaps input", input.size());
  run(Operation::reduce, root, {input, 0, output, 0, input.size()}, Reduction::sum, options);
}

void Collective::all_gather(std::span<const float> input,
                            std::span<float> output,
                            const CollectiveOptions& options) {
  ensure(output.size() == group_->size() * input.size(),
         "all_gather: output holds all inputs",
         output.size(),
         group_->size(),
         input.size());
  ensure(!overlap(input, output), "all_gather: output overlaps input", input.size());
  const std::size_t begin = group_->rank() * input.size();
  run(Operation::all_gather, 0, {input, begin, output, 0, output.size()}, Reduction::sum, options);
}

void Collective::reduce_scatter(std::span<const float> input,
                                std::span<float> output,
                                const CollectiveOptions& options) {
  const Range mine = chunk(input.size(), group_->size(), group_->rank());
  ensure(output.size() == mine.size(),
         "reduce_scatter: output is this rank's part",
         output.size(),
         mine.size());
  ensure(!overlap(input, output), "reduce_scatter: output overlaps input", input.size());
  run(Operation::reduce_scatter,
      0,
      {input, 0, output, mine.begin, input.size()},
      Reduction::sum,
      options);
}

void Collective::barrier(const CollectiveOptions& options) {
  run(Operation::barrier, 0, {}, Reduction::sum, options);
}

void Collective::run(Operation operation,
                     std::size_t root,
                     const Operands& operands,
                     Reduction reduction,
                     const CollectiveOptions& options) {
  const Request request{operation, group_->size(), group_->rank(), root};
  std::string_view algorithm = options.algorithm;
  if (algorithm == "auto") {
    algorithm = choose({operation, request.peers, operands.elements}, selection_);
  }
  executor_.run(plan_for(algorithm, request),
                operands,
                {algorithm, reduction, options.round, options.deadline});
}

const Plan& Collective::plan_for(std::string_view algorithm, const Request& request) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
    return each.algorithm == algorithm && each.plan.request.operation == request.operation &&
           each.plan.request.root == request.root;
  });
  if (found != kept_.end()) {
    return found->plan;
  }
  const Build build = find_algorithm(algorithm, request.operation).build(request.operation);
  Plan plan = make_plan(request, build(request));
  if (kept_.size() == kPlansMax) {
    kept_.erase(kept_.begin());
  }
  return kept_.emplace_back(Kept{std::string(algorithm), std::move(plan)}).plan;
}

}  // namespace starling::collective
