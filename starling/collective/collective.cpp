#include "starling/collective/collective.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "starling/collective/combine.hpp"
#include "starling/core/buffer.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Plans kept: enough for every operation a training loop uses, few enough for a broadcast from
/// every root.
constexpr std::size_t kPlansMax = 16;

void ensure_separate(const char* operation, const ConstValues& a, const ConstValues& b) {
  const auto x = a.bytes();
  const auto y = b.bytes();
  const std::less<> before;
  const bool overlap = !x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) &&
                       before(y.data(), x.data() + x.size());
  ensure(!overlap && a.type() == b.type(),
         "input and output have one type and do not overlap",
         operation,
         to_string(a.type()),
         to_string(b.type()));
}

ConstValues nothing_of(DataType type) {
  return {type, {}};
}

Values no_room_of(DataType type) {
  return {type, std::span<std::byte>{}};
}

}  // namespace

Collective::Collective(const Group& group, Selection selection, std::size_t slot)
    : group_(&group), selection_(std::move(selection)), slot_(slot), executor_(group) {}

void Collective::all_reduce(const ConstValues& input,
                            const Values& output,
                            Reduction reduction,
                            const CollectiveOptions& options) {
  ensure(input.size() == output.size(), "all_reduce: sizes differ", input.size(), output.size());
  ensure_separate("all_reduce", input, output);
  run(request_for(Operation::all_reduce, 0, input.size()),
      {input, output, input.size()},
      reduction,
      options);
}

void Collective::all_reduce(const Values& values,
                            Reduction reduction,
                            const CollectiveOptions& options) {
  Buffer result(values.bytes().size());
  const Values output(values.type(), result.mutable_bytes());
  all_reduce(values, output, reduction, options);
  move_into(output, values, store_for_vector(result.size()));
}

void Collective::broadcast(const Values& values,
                           std::size_t root,
                           const CollectiveOptions& options) {
  ensure(root < group_->size(), "broadcast: no such root", root, group_->size());
  const Request request = request_for(Operation::broadcast, root, values.size());
  if (root == group_->rank()) {
    run(request, {values, values, values.size()}, Reduction::sum, options);
    return;
  }
  Buffer result(values.bytes().size());
  const Values output(values.type(), result.mutable_bytes());
  run(request, {nothing_of(values.type()), output, values.size()}, Reduction::sum, options);
  move_into(output, values, store_for_vector(result.size()));
}

void Collective::reduce(const ConstValues& input,
                        const Values& output,
                        Reduction reduction,
                        std::size_t root,
                        const CollectiveOptions& options) {
  ensure(root < group_->size(), "reduce: no such root", root, group_->size());
  const bool is_root = root == group_->rank();
  ensure(!is_root || output.size() == input.size(),
         "reduce: sizes differ at the root",
         input.size(),
         output.size());
  ensure_separate("reduce", input, is_root ? output : no_room_of(input.type()));
  run(request_for(Operation::reduce, root, input.size()),
      {input, is_root ? output : no_room_of(input.type()), input.size()},
      reduction,
      options);
}

void Collective::all_gather(const ConstValues& input,
                            const Values& output,
                            const CollectiveOptions& options) {
  ensure(output.size() == group_->size() * input.size(),
         "all_gather: output holds all inputs",
         output.size(),
         group_->size(),
         input.size());
  ensure_separate("all_gather", input, output);
  run(request_for(Operation::all_gather, 0, output.size()),
      {input, output, output.size()},
      Reduction::sum,
      options);
}

void Collective::all_gather(const ConstValues& input,
                            const Values& output,
                            std::span<const std::size_t> counts,
                            const CollectiveOptions& options) {
  ensure(counts.size() == group_->size() && counts[group_->rank()] == input.size() &&
             std::reduce(counts.begin(), counts.end()) == output.size(),
         "all_gather: output holds inputs as long as the counts say",
         counts.size(),
         input.size(),
         output.size());
  ensure_separate("all_gather", input, output);
  Request request = request_for(Operation::all_gather, 0, output.size());
  request.parts.assign(counts.begin(), counts.end());
  run(std::move(request), {input, output, output.size()}, Reduction::sum, options);
}

void Collective::reduce_scatter(const ConstValues& input,
                                const Values& output,
                                Reduction reduction,
                                const CollectiveOptions& options) {
  const Range mine = chunk(input.size(), group_->size(), group_->rank());
  ensure(output.size() == mine.size(),
         "reduce_scatter: output is this rank's part",
         output.size(),
         mine.size());
  ensure_separate("reduce_scatter", input, output);
  run(request_for(Operation::reduce_scatter, 0, input.size()),
      {input, output, input.size()},
      reduction,
      options);
}

void Collective::scatter(const ConstValues& input,
                         const Values& output,
                         std::size_t elements,
                         std::size_t root,
                         const CollectiveOptions& options) {
  ensure(root < group_->size(), "scatter: no such root", root, group_->size());
  const bool is_root = root == group_->rank();
  const Range mine = chunk(elements, group_->size(), group_->rank());
  ensure(output.size() == mine.size() && (!is_root || input.size() == elements),
         "scatter: output is this rank's part, the root has the whole",
         output.size(),
         mine.size(),
         input.size(),
         elements);
  const ConstValues whole = is_root ? input : nothing_of(output.type());
  ensure_separate("scatter", whole, output);
  run(request_for(Operation::scatter, root, elements),
      {whole, output, elements},
      Reduction::sum,
      options);
}

void Collective::gather(const ConstValues& input,
                        const Values& output,
                        std::size_t elements,
                        std::size_t root,
                        const CollectiveOptions& options) {
  ensure(root < group_->size(), "gather: no such root", root, group_->size());
  const bool is_root = root == group_->rank();
  const Range mine = chunk(elements, group_->size(), group_->rank());
  ensure(input.size() == mine.size() && (!is_root || output.size() == elements),
         "gather: input is this rank's part, the root takes the whole",
         input.size(),
         mine.size(),
         output.size(),
         elements);
  const Values whole = is_root ? output : no_room_of(input.type());
  ensure_separate("gather", input, whole);
  run(request_for(Operation::gather, root, elements),
      {input, whole, elements},
      Reduction::sum,
      options);
}

void Collective::all_to_all(const ConstValues& input,
                            const Values& output,
                            const CollectiveOptions& options) {
  const std::size_t n = group_->size();
  ensure(input.size() == output.size() && input.size() % n == 0,
         "all_to_all: input and output have one equal part for every member",
         input.size(),
         output.size(),
         n);
  ensure_separate("all_to_all", input, output);
  run(request_for(Operation::all_to_all, 0, n * input.size()),
      {input, output, n * input.size()},
      Reduction::sum,
      options);
}

void Collective::all_to_all(const ConstValues& input,
                            const Values& output,
                            std::span<const std::size_t> counts,
                            const CollectiveOptions& options) {
  const std::size_t n = group_->size();
  ensure(counts.size() == n * n, "all_to_all: counts are n * n", counts.size(), n);
  std::size_t out = 0;
  std::size_t in = 0;
  for (std::size_t other = 0; other < n; ++other) {
    out += counts[group_->rank() * n + other];
    in += counts[other * n + group_->rank()];
  }
  ensure(input.size() == out && output.size() == in,
         "all_to_all: input and output are as long as the counts say",
         input.size(),
         out,
         output.size(),
         in);
  ensure_separate("all_to_all", input, output);
  const std::size_t elements = std::reduce(counts.begin(), counts.end());
  Request request = request_for(Operation::all_to_all, 0, elements);
  request.parts.assign(counts.begin(), counts.end());
  run(std::move(request), {input, output, elements}, Reduction::sum, options);
}

void Collective::barrier(const CollectiveOptions& options) {
  run(request_for(Operation::barrier, 0, 0), {}, Reduction::sum, options);
}

Request Collective::request_for(Operation operation, std::size_t root, std::size_t elements) const {
  Request request;
  request.operation = operation;
  request.peers = group_->size();
  request.rank = group_->rank();
  request.root = root;
  request.elements = elements;
  return request;
}

void Collective::run(Request request,
                     const Operands& operands,
                     Reduction reduction,
                     const CollectiveOptions& options) {
  const std::size_t element_bytes = size_of(operands.output.type());
  std::string_view algorithm = options.algorithm;
  if (algorithm == "auto") {
    algorithm = choose(
        {request.operation, request.peers, request.elements, element_bytes, !request.parts.empty()},
        selection_);
  }
  const Choice& choice = choice_for(algorithm, request.operation);
  choice.fill_in(request, element_bytes, selection_.link.torus);
  executor_.run(plan_for(*choice.entry, request),
                operands,
                {choice.entry->name,
                 reduction,
                 options.round,
                 options.deadline,
                 options.message_bytes,
                 slot_});
}

const Choice& Collective::choice_for(std::string_view text, Operation operation) {
  const auto found = std::find_if(named_.begin(), named_.end(), [&](const Named& each) {
    return each.operation == operation && each.text == text;
  });
  if (found != named_.end()) {
    return found->choice;
  }
  if (named_.size() == kPlansMax) {
    named_.erase(named_.begin());
  }
  return named_.emplace_back(Named{std::string(text), operation, find_algorithm(text, operation)})
      .choice;
}

/// A schedule that fits every length is kept for all of them.
const Plan& Collective::plan_for(const CatalogEntry& entry, const Request& request) {
  Request key = request;
  if (!entry.is_by_length(request.operation) && request.parts.empty()) {
    key.elements = 0;
  }
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
    return each.entry == &entry && each.plan.request == key;
  });
  if (found != kept_.end()) {
    return found->plan;
  }
  Plan plan = make_plan(key, make_schedule(entry, key));
  if (kept_.size() == kPlansMax) {
    kept_.erase(kept_.begin());
  }
  return kept_.emplace_back(Kept{&entry, std::move(plan)}).plan;
}

}  // namespace starling::collective
