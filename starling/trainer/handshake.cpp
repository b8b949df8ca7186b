// Down a binomial tree: the layout of rank 0. Up: who differs. Down: the verdict.
#include "starling/trainer/handshake.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/wire/bytes.hpp"
#include "starling/wire/layout_codec.hpp"

namespace starling::trainer {

namespace {

constexpr Tag kTag{Purpose::control, 0};
constexpr std::size_t kTextBytesMax = 4096;
constexpr std::size_t kFindingBytesMax = 1 + 8 + 4 + kTextBytesMax;

enum class Phase : std::uint8_t { layout = 1, findings = 2, verdict = 3 };

/// The first rank whose layout differs, and how; nothing if none does.
struct Difference {
  std::uint64_t rank = 0;
  std::string text;
};

using Finding = std::optional<Difference>;

std::vector<std::byte> encode_finding(const Finding& finding) {
  wire::ByteWriter out;
  out.u8(finding ? 1 : 0);
  if (finding) {
    out.u64(finding->rank);
    out.text(finding->text.substr(0, kTextBytesMax));
  }
  return std::move(out).take();
}

Finding decode_finding(std::span<const std::byte> bytes) {
  wire::ByteReader in(bytes, "handshake");
  Finding finding;
  if (in.u8() != 0) {
    const std::uint64_t rank = in.u64();
    finding = Difference{rank, in.text(kTextBytesMax)};
  }
  in.expect_end();
  return finding;
}

/// The binomial tree over the ranks of a group, rooted at 0: the parent of r is r without its
/// lowest bit.
class Tree {
 public:
  Tree(const Group& group, Deadline deadline) : group_(group), deadline_(deadline) {
    const std::size_t rank = group.rank();
    const std::size_t span = rank == 0 ? group.size() : rank & (~rank + 1);
    for (std::size_t step = 1; step < span && rank + step < group.size(); step *= 2) {
      children_.push_back(rank + step);
    }
  }

  [[nodiscard]] bool is_root() const { return group_.rank() == 0; }

  [[nodiscard]] std::size_t parent() const { return group_.rank() & (group_.rank() - 1); }

  /// Nearest first.
  [[nodiscard]] const std::vector<std::size_t>& children() const { return children_; }

  void send(std::size_t to, Phase phase, std::span<const std::byte> bytes) const {
    group_.send(to, kTag, stamp(phase), Buffer::copy_of(bytes), deadline_).or_throw();
  }

  /// The farthest child first: it has the deepest subtree to tell.
  void send_down(Phase phase, std::span<const std::byte> bytes) const {
    for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
      send(*child, phase, bytes);
    }
  }

  [[nodiscard]] Buffer receive(std::size_t from, Phase phase, std::size_t bytes_max) const {
    Message message = group_.receive(from, kTag, deadline_).or_throw();
    const Stamp expected = stamp(phase);
    if (message.stamp.operation != expected.operation || message.stamp.round != expected.round) {
      refuse(from, "sent something else than a handshake; is it another version of Starling?");
    }
    if (message.payload.size() > bytes_max) {
      refuse(from,
             "sent " + std::to_string(message.payload.size()) + " bytes, at most " +
                 std::to_string(bytes_max) + " are allowed");
    }
    return std::move(message.payload);
  }

  [[nodiscard]] Finding receive_finding(std::size_t from, Phase phase) const {
    const Buffer bytes = receive(from, phase, kFindingBytesMax);
    try {
      return decode_finding(bytes.bytes());
    } catch (const DataError& error) {
      refuse(from, error.what());
    }
  }

 private:
  const Group& group_;
  Deadline deadline_;
  std::vector<std::size_t> children_;

  static Stamp stamp(Phase phase) {
    static const auto operation = static_cast<std::uint32_t>(stream_key("agree on layout"));
    return {.operation = operation, .round = static_cast<std::uint64_t>(phase)};
  }

  [[noreturn]] void refuse(std::size_t from, const std::string& what) const {
    Failure failure;
    failure.kind = FailureKind::refused;
    failure.peer = group_.member(from);
    failure.culprit = failure.peer;
    failure.what = "handshake: " + what;
    throw PeerLost(failure);
  }
};

/// How our layout differs from the bytes of rank 0's.
Finding compare_with_root(const Layout& ours, std::span<const std::byte> root, std::size_t rank) {
  try {
    if (const auto difference = first_difference(ours, wire::decode_layout(root))) {
      return Difference{rank, *difference};
    }
  } catch (const DataError& error) {
    return Difference{rank, error.what()};
  }
  return std::nullopt;
}

}  // namespace

void agree_on_layout(const Group& group, const Layout& layout, Deadline deadline) {
  const Tree tree(group, deadline);
  Finding finding;
  if (tree.is_root()) {
    tree.send_down(Phase::layout, wire::encode(layout));
  } else {
    const Buffer root = tree.receive(tree.parent(), Phase::layout, wire::kLayoutBytesMax);
    tree.send_down(Phase::layout, root.bytes());
    finding = compare_with_root(layout, root.bytes(), group.rank());
  }
  for (const std::size_t child :
       tree.children()) {  // ascending: the first found is the lowest rank
    const Finding below = tree.receive_finding(child, Phase::findings);
    if (!finding) {
      finding = below;
    }
  }
  if (!tree.is_root()) {
    tree.send(tree.parent(), Phase::findings, encode_finding(finding));
    finding = tree.receive_finding(tree.parent(), Phase::verdict);
  }
  tree.send_down(Phase::verdict, encode_finding(finding));
  if (!finding) {
    return;
  }
  throw ConfigError("model: rank " + std::to_string(finding->rank) +
                    " has another model than rank 0: " + finding->text + " (here: rank " +
                    std::to_string(finding->rank) +
                    ", there: rank 0); start every peer with the same model and options");
}

}  // namespace starling::trainer
