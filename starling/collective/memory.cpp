#include "starling/collective/memory.hpp"

#include <algorithm>
#include <cstring>

#include "starling/core/ensure.hpp"

namespace starling::collective {

void Memory::set(const Plan& plan, const Operands& operands) {
  plan_ = &plan;
  operands_ = operands;
  const std::size_t input = lay_out(Place::input);
  const std::size_t output = lay_out(Place::output);
  const bool fits = operands.input.size() == input && operands.output.size() == output;
  ensure(fits, "the operands are as long as the plan says", operands.input.size(), input, output);
  const std::size_t element = collective::size_of(type());
  scratch_ = Buffer(lay_out(Place::scratch) * element);
  scratch_bytes_ = scratch_.mutable_bytes();
  spare_ = Buffer(lay_out(Place::spare) * element);
  spare_bytes_ = spare_.mutable_bytes();
}

void Memory::clear() noexcept {
  scratch_ = Buffer{};
  spare_ = Buffer{};
}

/// The length of the place, in elements.
std::size_t Memory::lay_out(Place place) {
  auto& stays = stays_[static_cast<std::size_t>(place)];
  stays.clear();
  std::size_t offset = 0;
  for (const Range& blocks : plan_->stays[static_cast<std::size_t>(place)]) {
    const Range elements = elements_of(blocks);
    stays.push_back({blocks, elements.begin, offset});
    offset += elements.size();
  }
  return offset;
}

std::size_t Memory::offset_of(Place place, const Range& blocks) const {
  const auto& stays = stays_[static_cast<std::size_t>(place)];
  auto stay = stays.begin();
  if (stays.size() > 1) {
    stay = std::upper_bound(stays.begin(), stays.end(), blocks.begin, [](auto block, auto& each) {
      return block < each.blocks.end;
    });
  }
  ensure(
      stay != stays.end() && stay->blocks.begin <= blocks.begin && blocks.end <= stay->blocks.end,
      "a run of blocks lies in one piece at its place",
      static_cast<int>(place),
      blocks.begin,
      blocks.end);
  return stay->offset + elements_of(blocks).begin - stay->begin;
}

ConstValues Memory::read(Place place, const Range& blocks, const Range& piece) const {
  if (place != Place::input) {
    return write(place, blocks, piece);
  }
  if (piece.empty()) {
    return {type(), {}};
  }
  const std::size_t element = collective::size_of(type());
  const std::size_t begin = offset_of(place, blocks) + piece.begin;
  return {type(), operands_.input.bytes().subspan(begin * element, piece.size() * element)};
}

Values Memory::write(Place place, const Range& blocks, const Range& piece) const {
  if (piece.empty()) {
    return {type(), {}};
  }
  const std::size_t element = collective::size_of(type());
  const std::size_t begin = offset_of(place, blocks) + piece.begin;
  std::span<std::byte> whole = operands_.output.bytes();
  if (place == Place::scratch) {
    whole = scratch_bytes_;
  } else if (place == Place::spare) {
    whole = spare_bytes_;
  }
  return {type(), whole.subspan(begin * element, piece.size() * element)};
}

std::size_t Memory::bytes_of(std::span<const PlannedRun> runs) const {
  std::size_t total = 0;
  for (const PlannedRun& run : runs) {
    total += size_of(run.blocks);
  }
  return total * collective::size_of(type());
}

std::span<const std::byte> Memory::in_one_piece(std::span<const PlannedRun> runs) const {
  std::span<const std::byte> joined;
  for (const PlannedRun& run : runs) {
    const auto next = read(run.from, run.blocks, {0, size_of(run.blocks)}).bytes();
    if (next.empty()) {
      continue;
    }
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
  Buffer packed(bytes_of(runs));
  std::span<std::byte> rest = packed.mutable_bytes();
  for (const PlannedRun& run : runs) {
    const auto from = read(run.from, run.blocks, {0, size_of(run.blocks)}).bytes();
    if (!from.empty()) {
      std::memcpy(rest.data(), from.data(), from.size());
      rest = rest.subspan(from.size());
    }
  }
  return packed;
}

}  // namespace starling::collective
