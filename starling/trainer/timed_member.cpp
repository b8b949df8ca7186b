#include "starling/trainer/timed_member.hpp"

#include <algorithm>

#include "starling/core/range.hpp"

namespace starling::trainer {

namespace {

using collective::CollectiveOptions;
using collective::ConstValues;
using collective::Operation;
using collective::Values;

/// Elements of one member's two vectors.
struct Lengths {
  std::size_t input = 0;
  std::size_t output = 0;
};

Lengths lengths_of(const TimedCall& call, const Group& group) {
  const std::size_t whole = call.elements;
  const std::size_t mine = chunk(whole, group.size(), group.rank()).size();
  const std::size_t of_root = group.rank() == call.root ? whole : 0;
  switch (call.operation) {
    case Operation::all_reduce:
    case Operation::all_to_all:
      return {whole, whole};
    case Operation::broadcast:
      return {0, whole};
    case Operation::reduce:
      return {whole, of_root};
    case Operation::all_gather:
      return {mine, whole};
    case Operation::reduce_scatter:
      return {whole, mine};
    case Operation::scatter:
      return {of_root, mine};
    case Operation::gather:
      return {mine, of_root};
    case Operation::barrier:
      break;
  }
  return {};
}

/// Pages that nobody has written to are all the same one, which is faster than memory.
Buffer zeros(std::size_t bytes) {
  Buffer buffer(bytes);
  const auto all = buffer.mutable_bytes();
  std::fill(all.begin(), all.end(), std::byte{0});
  return buffer;
}

}  // namespace

TimedMember::TimedMember(const Group& group,
                         const TimedCall& call,
                         const collective::Selection& selection)
    : group_(group),
      call_(call),
      collective_(group, selection),
      input_(zeros(lengths_of(call, group).input * size_of(call.type))),
      output_(zeros(lengths_of(call, group).output * size_of(call.type))) {}

void TimedMember::call() {
  const CollectiveOptions options = next_options(call_.algorithm);
  const ConstValues in(call_.type, input_.bytes());
  const Values out(call_.type, output_.mutable_bytes());
  switch (call_.operation) {
    case Operation::all_reduce:
      return collective_.all_reduce(in, out, call_.reduction, options);
    case Operation::broadcast:
      return collective_.broadcast(out, call_.root, options);
    case Operation::reduce:
      return collective_.reduce(in, out, call_.reduction, call_.root, options);
    case Operation::all_gather:
      return collective_.all_gather(in, out, options);
    case Operation::reduce_scatter:
      return collective_.reduce_scatter(in, out, call_.reduction, options);
    case Operation::scatter:
      return collective_.scatter(in, out, call_.elements, call_.root, options);
    case Operation::gather:
      return collective_.gather(in, out, call_.elements, call_.root, options);
    case Operation::all_to_all:
      return collective_.all_to_all(in, out, options);
    case Operation::barrier:
      return collective_.barrier(options);
  }
}

void TimedMember::meet() {
  collective_.barrier(next_options("auto"));
}

CollectiveOptions TimedMember::next_options(const std::string& algorithm) {
  return {.algorithm = algorithm,
          .deadline = group_.peer().clock().in(call_.timeout),
          .round = ++round_,
          .message_bytes = call_.message_bytes};
}

}  // namespace starling::trainer
