#include "starling/collective/memory.hpp"

#include "starling/core/span_math.hpp"

namespace starling::collective {

namespace {

/// Elements of the vector as elements of a part that starts at `begin`. Empty runs may lie
/// anywhere, also outside of the part.
Range within(Range elements, std::size_t begin) {
  if (elements.empty()) {
    return {0, 0};
  }
  return {elements.begin - begin, elements.end - begin};
}

}  // namespace

std::span<const float> Memory::read(Place place, Range elements) const {
  if (place == Place::input) {
    return part(operands_.input, within(elements, operands_.input_begin));
  }
  return write(place, elements);
}

std::span<float> Memory::write(Place place, Range elements) const {
  if (place == Place::output) {
    return part(operands_.output, within(elements, operands_.output_begin));
  }
  return part(scratch_, elements);
}

std::size_t Memory::size_of(std::span<const PlannedRun> runs) const {
  std::size_t total = 0;
  for (const PlannedRun& run : runs) {
    total += elements_of(run).size();
  }
  return total;
}

std::span<const float> Memory::in_one_piece(std::span<const PlannedRun> runs) const {
  std::span<const float> joined;
  for (const PlannedRun& run : runs) {
    const Range elements = elements_of(run);
    if (elements.empty()) {
      continue;
    }
    const std::span<const float> next = read(run.from, elements);
    if (joined.empty()) {
      joined = next;
    } else if (joined.data() + joined.size() == next.data()) {
      joined = {joined.data(), joined.size() + next.size()};
    } else {
      break;
    }
  }
  return joined;
}

Buffer Memory::pack(std::span<const PlannedRun> runs) const {
  Buffer packed(size_of(runs) * sizeof(float));
  std::span<float> rest = packed.mutable_values();
  for (const PlannedRun& run : runs) {
    const Range elements = elements_of(run);
    copy(read(run.from, elements), rest.first(elements.size()));
    rest = rest.subspan(elements.size());
  }
  return packed;
}

}  // namespace starling::collective
