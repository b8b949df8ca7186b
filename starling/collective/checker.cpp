#include "starling/collective/checker.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <sstream>
#include <tuple>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Whose contributions a partial result is made of.
class Contributions {
 public:
  explicit Contributions(std::size_t peers) : words_((peers + 63) / 64) {}

  void insert(std::size_t rank) { words_[rank / 64] |= std::uint64_t{1} << (rank % 64); }

  [[nodiscard]] std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) {
      total += static_cast<std::size_t>(std::popcount(word));
    }
    return total;
  }

  /// False, and nothing changed, if they share one.
  bool unite(const Contributions& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      if ((words_[k] & other.words_[k]) != 0) {
        return false;
      }
    }
    for (std::size_t k = 0; k < words_.size(); ++k) {
      words_[k] |= other.words_[k];
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// What a rank has in the place of one block.
struct BlockState {
  Contributions from;
  bool finished = false;  ///< complete, and scaled if this is a mean
};

struct Flaw {
  std::string text;
};

template <class... Parts>
[[noreturn]] void flaw(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Flaw{text.str()};
}

/// One message under way.
struct Letter {
  std::span<const Range> blocks;
  std::vector<BlockState> content;
};

class Play {
 public:
  Play(const Request& request, std::span<const Schedule> schedules)
      : request_(request), schedules_(schedules), elements_(request.elements) {
    verdict_.sent.resize(schedules.size());
  }

  Verdict run() {
    try {
      check_shapes();
      check_parts();
      start();
      for (std::size_t round = 0; round < rounds(); ++round) {
        play(round);
      }
      check_promises();
    } catch (Flaw& found) {
      verdict_.flaw = std::move(found.text);
    }
    return std::move(verdict_);
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // lane, from, to

  Request request_;
  std::span<const Schedule> schedules_;
  std::size_t elements_;
  std::vector<std::vector<BlockState>> state_;  // by rank and block
  std::vector<std::vector<const Transfer*>>
      finish_;  // by rank and block: the addition that ends it
  std::map<Key, std::deque<Letter>> under_way_;
  Verdict verdict_;

  [[nodiscard]] std::size_t peers() const { return schedules_.size(); }

  [[nodiscard]] std::size_t blocks() const { return schedules_.front().blocks(); }

  [[nodiscard]] Request request(std::size_t rank) const {
    Request of_rank = request_;
    of_rank.rank = rank;
    return of_rank;
  }

  /// How many contributions a finished block is made of.
  [[nodiscard]] std::size_t complete() const { return reduces(request_.operation) ? peers() : 1; }

  [[nodiscard]] std::size_t rounds() const {
    std::size_t most = 0;
    for (const Schedule& schedule : schedules_) {
      for (const Lane& lane : schedule.lanes) {
        most = std::max(most, lane.rounds());
      }
    }
    return most;
  }

  void check_shapes() const {
    for (std::size_t rank = 0; rank < peers(); ++rank) {
      const Schedule& schedule = schedules_[rank];
      if (schedule.peers != peers() || schedule.rank != rank ||
          schedule.cut != schedules_.front().cut || schedule.parts != schedules_.front().parts ||
          schedule.lanes.size() != schedules_.front().lanes.size()) {
        flaw("rank ", rank, " has a schedule of another shape");
      }
      std::vector<std::size_t> user(blocks(), schedule.lanes.size());
      for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
        for (const Transfer& each : schedule.lanes[lane].transfers()) {
          check_transfer(schedule, lane, each, user);
        }
      }
    }
  }

  /// The blocks said to make up a part do so, for a vector of this length.
  void check_parts() const {
    if (!has_parts(request_.operation)) {
      return;
    }
    const Schedule& schedule = schedules_.front();
    const Cut parts = parts_of(request_);
    for (std::size_t index = 0; index < parts.blocks(); ++index) {
      const Range made_of = schedule.part(index);
      if (made_of.end > blocks()) {
        flaw("there is no block ", made_of.end - 1);
      }
      const Range expected = parts.elements_of_block(index, elements_);
      const Range found = schedule.cut.elements(made_of, elements_);
      if (found != expected && !(found.empty() && expected.empty())) {
        flaw("part ", index, " ends at element ", expected.end, ", its blocks at ", found.end);
      }
    }
  }

  void check_transfer(const Schedule& schedule,
                      std::size_t lane,
                      const Transfer& transfer,
                      std::vector<std::size_t>& user) const {
    if (transfer.peer >= peers() || transfer.peer == schedule.rank) {
      flaw("rank ", schedule.rank, " talks to rank ", transfer.peer);
    }
    for (const Range& run : schedule.lanes[lane].blocks(transfer)) {
      if (run.end > blocks()) {
        flaw("rank ", schedule.rank, " names block ", run.end - 1);
      }
      for (std::size_t block = run.begin; block < run.end; ++block) {
        if (user[block] != lane && user[block] != schedule.lanes.size()) {
          flaw("lanes ",
               user[block],
               " and ",
               lane,
               " of rank ",
               schedule.rank,
               " share block ",
               block);
        }
        user[block] = lane;
      }
    }
  }

  void start() {
    for (std::size_t rank = 0; rank < peers(); ++rank) {
      auto& mine = state_.emplace_back(blocks(), BlockState{Contributions(peers()), false});
      for (const Range& held : held_blocks(request(rank), schedules_[rank])) {
        for (std::size_t block = held.begin; block < held.end; ++block) {
          mine[block].from.insert(rank);
          mine[block].finished = complete() == 1;
        }
      }
      finish_.push_back(finishing_additions(schedules_[rank]));
    }
  }

  [[nodiscard]] std::vector<const Transfer*> finishing_additions(const Schedule& schedule) const {
    std::vector<const Transfer*> last(blocks(), nullptr);
    for (const Lane& lane : schedule.lanes) {
      for (const Transfer& each : lane.transfers()) {
        if (each.action != Action::add) {
          continue;
        }
        for_each_block(lane, each, [&](std::size_t block) {
          if (is_owned(schedule, block)) {
            last[block] = &each;
          }
        });
      }
    }
    return last;
  }

  static bool is_owned(const Schedule& schedule, std::size_t block) {
    return std::any_of(schedule.owned.begin(), schedule.owned.end(), [block](const Range& run) {
      return run.begin <= block && block < run.end;
    });
  }

  void play(std::size_t round) {
    for_each_transfer(round, [&](std::size_t rank, std::size_t lane, const Transfer& each) {
      if (each.action == Action::send) {
        send(rank, lane, each);
      }
    });
    for_each_transfer(round, [&](std::size_t rank, std::size_t lane, const Transfer& each) {
      if (each.action != Action::send) {
        receive(round, rank, lane, each);
      }
    });
    for (const auto& [key, letters] : under_way_) {
      if (letters.empty()) {
        continue;
      }
      flaw("round ",
           round,
           ": a message from rank ",
           std::get<1>(key),
           " to rank ",
           std::get<2>(key),
           " in lane ",
           std::get<0>(key),
           " is never received");
    }
  }

  template <class Visit>
  void for_each_transfer(std::size_t round, Visit visit) const {
    for (std::size_t rank = 0; rank < peers(); ++rank) {
      for (std::size_t lane = 0; lane < schedules_[rank].lanes.size(); ++lane) {
        const Lane& rounds_of = schedules_[rank].lanes[lane];
        if (round >= rounds_of.rounds()) {
          continue;
        }
        for (const Transfer& each : rounds_of.round(round)) {
          visit(rank, lane, each);
        }
      }
    }
  }

  void send(std::size_t rank, std::size_t lane, const Transfer& transfer) {
    Letter letter{schedules_[rank].lanes[lane].blocks(transfer), {}};
    Traffic traffic{1, 0, 0};
    for (const Range& run : letter.blocks) {
      traffic.blocks += run.size();
      traffic.elements += schedules_[rank].cut.elements(run, elements_).size();
      for (std::size_t block = run.begin; block < run.end; ++block) {
        if (state_[rank][block].from.count() == 0) {
          flaw("rank ", rank, " sends block ", block, " before it has it");
        }
        letter.content.push_back(state_[rank][block]);
      }
    }
    for (Traffic* total : {&verdict_.sent[rank], &verdict_.links[{rank, transfer.peer}]}) {
      total->messages += traffic.messages;
      total->blocks += traffic.blocks;
      total->elements += traffic.elements;
    }
    under_way_[{lane, rank, transfer.peer}].push_back(std::move(letter));
  }

  void receive(std::size_t round, std::size_t rank, std::size_t lane, const Transfer& transfer) {
    auto& letters = under_way_[{lane, transfer.peer, rank}];
    if (letters.empty()) {
      flaw("round ",
           round,
           ": rank ",
           rank,
           " waits for ever for rank ",
           transfer.peer,
           " in lane ",
           lane);
    }
    const Letter letter = std::move(letters.front());
    letters.pop_front();
    const auto expected = schedules_[rank].lanes[lane].blocks(transfer);
    if (!std::equal(expected.begin(), expected.end(), letter.blocks.begin(), letter.blocks.end())) {
      flaw("round ",
           round,
           ": rank ",
           rank,
           " expects other blocks than rank ",
           transfer.peer,
           " sends");
    }
    std::size_t next = 0;
    for (const Range& run : expected) {
      for (std::size_t block = run.begin; block < run.end; ++block) {
        absorb(rank, block, transfer, letter.content[next++]);
      }
    }
  }

  void absorb(std::size_t rank,
              std::size_t block,
              const Transfer& transfer,
              const BlockState& arrived) {
    BlockState& mine = state_[rank][block];
    if (transfer.action == Action::copy) {
      mine = arrived;
      return;
    }
    if (mine.finished || arrived.finished) {
      flaw("rank ", rank, " adds to block ", block, " after its sum was finished");
    }
    if (!mine.from.unite(arrived.from)) {
      flaw("rank ", rank, " adds a contribution to block ", block, " twice");
    }
    if (finish_[rank][block] != &transfer) {
      return;
    }
    if (mine.from.count() != complete()) {
      flaw("rank ",
           rank,
           " owns block ",
           block,
           " with ",
           mine.from.count(),
           " of ",
           complete(),
           " contributions");
    }
    mine.finished = true;
  }

  void check_promises() const {
    for (std::size_t rank = 0; rank < peers(); ++rank) {
      for (const Range& promised : promised_blocks(request(rank), schedules_[rank])) {
        for (std::size_t block = promised.begin; block < promised.end; ++block) {
          check_promise(rank, block);
        }
      }
    }
  }

  void check_promise(std::size_t rank, std::size_t block) const {
    const BlockState& mine = state_[rank][block];
    if (mine.from.count() != complete() || (peers() > 1 && !mine.finished)) {
      flaw("rank ",
           rank,
           " ends with ",
           mine.from.count(),
           " of ",
           complete(),
           " contributions in block ",
           block,
           mine.finished ? "" : ", not finished");
    }
  }
};

}  // namespace

Verdict check(const Request& request, std::span<const Schedule> schedules) {
  ensure(!schedules.empty() && schedules.size() == request.peers && request.root < request.peers,
         "a check needs the schedules of all ranks",
         schedules.size(),
         request.root);
  return Play(request, schedules).run();
}

}  // namespace starling::collective
