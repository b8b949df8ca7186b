#include "starling/collective/gather_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kWordBits = 64;

/// Owners are played in groups: what one holds of a group is a cache line, and so all ranks' fit
/// into a near cache.
constexpr std::size_t kGroupWords = 8;
constexpr std::size_t kGroup = kGroupWords * kWordBits;

struct Holding {
  std::array<std::uint64_t, kGroupWords> words{};

  void operator|=(const Holding& other) {
    for (std::size_t word = 0; word < kGroupWords; ++word) {
      words[word] |= other.words[word];
    }
  }

  /// Those that `other` has and this one does not.
  [[nodiscard]] Holding lacks_of(const Holding& other) const {
    Holding lacking;
    for (std::size_t word = 0; word < kGroupWords; ++word) {
      lacking.words[word] = other.words[word] & ~words[word];
    }
    return lacking;
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t held = 0;
    for (const std::uint64_t word : words) {
      held += static_cast<std::size_t>(std::popcount(word));
    }
    return held;
  }
};

/// The ranks that send to a rank; both are the same if there is one, itself if there is none.
using Pair = std::array<std::uint32_t, 2>;

/// By receiver.
std::vector<Pair> ranks_of(const GatherRound& round, std::size_t peers) {
  std::vector<Pair> all;
  all.reserve(peers);
  const std::size_t extent = round.sources.size();
  for (std::size_t line = 0; line < peers; line += extent * round.stride) {
    for (const Sources& sources : round.sources) {
      for (std::size_t inner = line; inner < line + round.stride; ++inner) {
        Pair pair;
        pair.fill(static_cast<std::uint32_t>(all.size()));
        for (std::size_t k = 0; k < sources.size(); ++k) {
          pair[k] = static_cast<std::uint32_t>(inner + sources.begin()[k] * round.stride);
        }
        if (sources.size() == 1) {
          pair[1] = pair[0];
        }
        all.push_back(pair);
      }
    }
  }
  return all;
}

/// Plays the pattern for the owners from `first` on. Calls watch(round, holdings of all ranks)
/// before every round. @return whether everybody has their blocks in the end
template <class Watch>
bool play_group(const std::vector<std::vector<Pair>>& rounds,
                std::size_t peers,
                std::size_t first,
                Watch watch) {
  const std::size_t owners = std::min(kGroup, peers - first);
  std::vector<Holding> now(peers);
  for (std::size_t owner = 0; owner < owners; ++owner) {
    now[first + owner].words[owner / kWordBits] |= std::uint64_t{1} << (owner % kWordBits);
  }
  std::vector<Holding> next(peers);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    watch(round, now);
    for (std::size_t rank = 0; rank < peers; ++rank) {
      const auto [lower, upper] = rounds[round][rank];
      next[rank] = now[rank];
      next[rank] |= now[lower];
      if (upper != lower) {
        next[rank] |= now[upper];
      }
    }
    std::swap(now, next);
  }
  return std::all_of(
      now.begin(), now.end(), [owners](const Holding& each) { return each.count() == owners; });
}

/// One message that the rank in question sends or receives.
struct Letter {
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<Range> owners;
};

/// Lengthens the runs by the owners set in `given`, which begin with `first`.
void append_runs(std::vector<Range>& runs, const Holding& given, std::size_t first) {
  for (std::size_t index = 0; index < kGroupWords; ++index) {
    std::uint64_t left = given.words[index];
    while (left != 0) {
      const auto skip = static_cast<std::size_t>(std::countr_zero(left));
      const auto ones = static_cast<std::size_t>(std::countr_one(left >> skip));
      const std::size_t begin = first + index * kWordBits + skip;
      if (!runs.empty() && runs.back().end == begin) {
        runs.back().end = begin + ones;
      } else {
        runs.push_back({begin, begin + ones});
      }
      left = skip + ones == kWordBits ? 0 : left >> (skip + ones) << (skip + ones);
    }
  }
}

/// The letters of `rank` in a round, still empty.
std::vector<Letter> letters_of(const std::vector<Pair>& round, std::size_t rank) {
  std::vector<Letter> letters;
  for (std::size_t receiver = 0; receiver < round.size(); ++receiver) {
    const auto [lower, upper] = round[receiver];
    for (const std::size_t source : {std::size_t{lower}, std::size_t{upper}}) {
      const bool again = source == upper && lower == upper && !letters.empty() &&
                         letters.back().to == receiver && letters.back().from == source;
      if (source != receiver && (source == rank || receiver == rank) && !again) {
        letters.push_back({source, receiver, {}});
      }
    }
  }
  return letters;
}

void fill(std::vector<Letter>& letters,
          const std::vector<Pair>& round,
          const std::vector<Holding>& holdings,
          std::size_t first) {
  for (Letter& letter : letters) {
    Holding has = holdings[letter.to];
    const std::size_t lower = round[letter.to][0];
    if (letter.from != lower) {
      has |= holdings[lower];
    }
    append_runs(letter.owners, has.lacks_of(holdings[letter.from]), first);
  }
}

std::vector<Range> numbered(const std::vector<Range>& owners, const Numbering& numbering) {
  std::vector<Range> blocks;
  for (const Range& run : owners) {
    if (numbering.stride == 1) {
      blocks.push_back({numbering.first + run.begin, numbering.first + run.end});
      continue;
    }
    for (std::size_t owner = run.begin; owner < run.end; ++owner) {
      const std::size_t block = numbering.first + owner * numbering.stride;
      blocks.push_back({block, block + 1});
    }
  }
  return blocks;
}

std::vector<std::vector<Pair>> rounds_of(const GatherPattern& pattern) {
  std::vector<std::vector<Pair>> rounds;
  for (const GatherRound& round : pattern.rounds) {
    rounds.push_back(ranks_of(round, pattern.peers));
  }
  return rounds;
}

}  // namespace

void Sources::add(std::size_t source) {
  if (count_ > 0 && sources_[0] == source) {
    return;
  }
  ensure(count_ < sources_.size(), "nobody has more than two sources in a round", source);
  sources_[count_++] = source;
  if (count_ == 2 && sources_[1] < sources_[0]) {
    std::swap(sources_[0], sources_[1]);
  }
}

bool is_complete(const GatherPattern& pattern) {
  const auto rounds = rounds_of(pattern);
  for (std::size_t first = 0; first < pattern.peers; first += kGroup) {
    if (!play_group(rounds, pattern.peers, first, [](std::size_t, const auto&) {})) {
      return false;
    }
  }
  return true;
}

Lane gather_lane(const GatherPattern& pattern, std::size_t rank, const Numbering& numbering) {
  const auto rounds = rounds_of(pattern);
  std::vector<std::vector<Letter>> letters;
  letters.reserve(rounds.size());
  for (const auto& round : rounds) {
    letters.push_back(letters_of(round, rank));
  }
  for (std::size_t first = 0; first < pattern.peers; first += kGroup) {
    const bool complete = play_group(
        rounds, pattern.peers, first, [&](std::size_t round, const std::vector<Holding>& now) {
          fill(letters[round], rounds[round], now, first);
        });
    ensure(complete, "a gather reaches everybody", pattern.peers, rounds.size());
  }
  Lane lane;
  for (const auto& of_round : letters) {
    lane.open_round();
    for (const Action action : {Action::send, Action::copy}) {
      for (const Letter& letter : of_round) {
        const bool sends = letter.from == rank;
        if (!letter.owners.empty() && sends == (action == Action::send)) {
          lane.transfer(
              action, sends ? letter.to : letter.from, numbered(letter.owners, numbering));
        }
      }
    }
  }
  return lane;
}

}  // namespace starling::collective
