#include "starling/trainer/checkpoint.hpp"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/sections.hpp"

namespace starling::trainer {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStepPrefix = "step-";
constexpr std::string_view kPeerPrefix = "peer-";
constexpr std::string_view kPeerSuffix = ".ckpt";
constexpr std::string_view kVectorPrefix = "vector/";

/// A step some of whose files are missing: what a crash in the middle of saving leaves.
class Incomplete : public DataError {
 public:
  using DataError::DataError;
};

std::string numbered(std::string_view prefix, std::uint64_t number, int digits) {
  std::ostringstream name;
  name << prefix << std::setw(digits) << std::setfill('0') << number;
  return name.str();
}

std::string step_name(std::uint64_t step) {
  return numbered(kStepPrefix, step, 9);
}

std::string peer_name(std::uint64_t peer) {
  return numbered(kPeerPrefix, peer, 5) + std::string(kPeerSuffix);
}

fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

/// The step of a directory that step_directory() named.
std::optional<std::uint64_t> step_of(const fs::path& directory) {
  const std::string name = directory.filename().string();
  if (!name.starts_with(kStepPrefix)) {
    return std::nullopt;
  }
  const auto step = parse_size(std::string_view(name).substr(kStepPrefix.size()));
  if (!step || step_name(*step) != name) {
    return std::nullopt;
  }
  return *step;
}

Sections to_sections(const PeerState& state) {
  Sections sections(to_string(PeerId{state.peer}));
  sections.put_counters("run",
                        {{"peers", state.peers}, {"peer", state.peer}, {"step", state.step}});
  sections.put_text("experiment", state.experiment);
  sections.put_floats("parameters", state.parameters);
  for (const auto& [name, values] : state.vectors) {
    sections.put_floats(std::string(kVectorPrefix) + name, values);
  }
  sections.put_doubles("scalars", state.scalars);
  sections.put_counters("counters", state.counters);
  sections.put_random("random", state.random);
  const DataState& data = state.data;
  sections.put_counters("data",
                        {{"epoch", data.epoch},
                         {"step", data.step},
                         {"taken", data.taken},
                         {"dealt", data.dealt ? 1 : 0}});
  sections.put_indices("order", data.order);
  return sections;
}

/// The entry `key` of a map section.
std::uint64_t entry(const Sections& sections, const std::string& section, const std::string& key) {
  const auto counters = sections.counters(section);
  const auto found = counters.find(key);
  if (found == counters.end()) {
    throw DataError(sections.origin() + ": section " + section + " has no " + key);
  }
  return found->second;
}

PeerState from_sections(const Sections& sections) {
  PeerState state;
  state.peers = entry(sections, "run", "peers");
  state.peer = entry(sections, "run", "peer");
  state.step = entry(sections, "run", "step");
  state.experiment = sections.text("experiment");
  state.parameters = sections.floats("parameters");
  for (const std::string& name : sections.names_under(kVectorPrefix)) {
    state.vectors.emplace(name, sections.floats(std::string(kVectorPrefix) + name));
  }
  state.scalars = sections.doubles("scalars");
  state.counters = sections.counters("counters");
  state.random = sections.random("random");
  state.data.epoch = entry(sections, "data", "epoch");
  state.data.step = entry(sections, "data", "step");
  state.data.taken = entry(sections, "data", "taken");
  state.data.dealt = entry(sections, "data", "dealt") != 0;
  state.data.order = sections.indices("order");
  if (state.peer >= state.peers || state.data.taken > state.data.order.size()) {
    throw DataError(sections.origin() + ": peer " + std::to_string(state.peer) + " of " +
                    std::to_string(state.peers) + " with " + std::to_string(state.data.taken) +
                    " of " + std::to_string(state.data.order.size()) +
                    " samples taken is impossible");
  }
  return state;
}

/// "line `lr = 0.1` instead of `lr = 0.05`", for experiments that are not equal.
std::string difference_text(std::string_view expected, std::string_view found) {
  const auto expected_lines = split(expected, '\n');
  const auto found_lines = split(found, '\n');
  std::size_t line = 0;
  while (line < expected_lines.size() && line < found_lines.size() &&
         expected_lines[line] == found_lines[line]) {
    ++line;
  }
  const auto at = [line](const std::vector<std::string>& lines) {
    return line < lines.size() && !lines[line].empty() ? "`" + lines[line] + "`"
                                                       : std::string("nothing");
  };
  return "expected " + at(expected_lines) + ", found " + at(found_lines);
}

/// Refuses a state that does not belong beside the first of its step.
void check_belongs(const PeerState& state, const PeerState& first, const std::string& origin) {
  if (state.peers != first.peers) {
    throw Incomplete(origin + ": from a run of " + std::to_string(state.peers) +
                     " peers, others here from one of " + std::to_string(first.peers));
  }
  if (state.parameters.size() != first.parameters.size()) {
    throw DataError(origin + ": expected " + std::to_string(first.parameters.size()) +
                    " parameters as at peer 0, found " + std::to_string(state.parameters.size()));
  }
}

void check_identity(const PeerState& state,
                    std::uint64_t step,
                    std::uint64_t peer,
                    const std::string& origin) {
  if (state.step == step && state.peer == peer) {
    return;
  }
  throw DataError(origin + ": expected step " + std::to_string(step) + " of " +
                  to_string(PeerId{peer}) + ", found step " + std::to_string(state.step) + " of " +
                  to_string(PeerId{state.peer}));
}

/// Loads and verifies all peers of one step.
std::vector<PeerState> load_step(const fs::path& directory,
                                 std::uint64_t step,
                                 std::string_view experiment) {
  std::vector<PeerState> peers;
  do {
    const std::uint64_t peer = peers.size();
    const fs::path file = peer_file(directory, step, peer);
    std::error_code error;
    const bool is_there = fs::exists(file, error);
    if (error) {
      throw DataError(file.string() + ": cannot be looked at: " + error.message());
    }
    if (!is_there) {
      const std::string of = peers.empty() ? "" : " of " + std::to_string(peers.front().peers);
      throw Incomplete(step_directory(directory, step).string() + ": incomplete: the file of " +
                       to_string(PeerId{peer}) + of + " is missing");
    }
    peers.push_back(load_peer(file));
    check_identity(peers.back(), step, peer, file.string());
    if (peers.back().experiment != experiment) {
      throw DataError(file.string() + ": a checkpoint of another experiment: " +
                      difference_text(experiment, peers.back().experiment));
    }
    check_belongs(peers.back(), peers.front(), file.string());
  } while (peers.size() < peers.front().peers);
  return peers;
}

/// What to do about a step that cannot be used: names the next older one that can.
std::string offer(const fs::path& directory, std::uint64_t below, std::string_view experiment) {
  std::vector<std::uint64_t> steps = checkpoint_steps(directory);
  std::reverse(steps.begin(), steps.end());
  for (const std::uint64_t step : steps) {
    if (step >= below) {
      continue;
    }
    try {
      load_step(directory, step, experiment);
      return "; resume from " + step_directory(directory, step).string() +
             ", which is complete and sound";
    } catch (const DataError&) {
      // Not an offer; the next older one may be.
    }
  }
  return "; there is no older checkpoint of this experiment to resume from";
}

Checkpoint load_one(const fs::path& directory, std::uint64_t step, std::string_view experiment) {
  try {
    return {step, load_step(directory, step, experiment), step_directory(directory, step), {}};
  } catch (const DataError& error) {
    throw DataError(error.what() + offer(directory, step, experiment));
  }
}

/// A folder that nobody may look into is not an empty one.
void check_readable(const fs::path& directory) {
  std::error_code error;
  const fs::directory_iterator first(directory, error);
  if (error) {
    throw DataError(directory.string() + ": cannot be looked into: " + error.message());
  }
}

Checkpoint load_newest(const fs::path& directory, std::string_view experiment) {
  check_readable(directory);
  std::vector<std::uint64_t> steps = checkpoint_steps(directory);
  std::vector<std::string> notes;
  for (; !steps.empty(); steps.pop_back()) {
    const std::uint64_t step = steps.back();
    try {
      return {step, load_step(directory, step, experiment), step_directory(directory, step), notes};
    } catch (const Incomplete& incomplete) {
      notes.emplace_back(std::string(incomplete.what()) + "; passed over");
    } catch (const DataError& error) {
      throw DataError(error.what() + offer(directory, step, experiment));
    }
  }
  std::string text = directory.string() + ": no complete checkpoint (a directory step-... with ";
  text += "the files of all peers) in it";
  if (!notes.empty()) {
    text += "; " + notes.front();
  }
  if (!checkpoint_steps(directory / "checkpoints").empty()) {
    text += "; did you mean " + (directory / "checkpoints").string() + "?";
  }
  throw DataError(text);
}

/// Removes what this peer answers for in one step directory, and the directory if nothing is left
/// in it. Ranks that a larger run left there fall to the rank that is equal modulo the present
/// number of peers.
void remove_step(const fs::path& directory, std::uint64_t step, const PeerState& state) {
  std::error_code error;
  for (std::uint64_t peer = state.peer;; peer += state.peers) {
    const fs::path file = peer_file(directory, step, peer);
    const bool was_there = fs::remove(file, error);
    if (error) {
      throw_storage_error(file, "cannot remove this old file", error.value(), 0);
    }
    if (!was_there) {
      break;
    }
  }
  const fs::path own_file = peer_file(directory, step, state.peer);
  std::vector<fs::path> left_behind;
  for (const auto& found : fs::directory_iterator(step_directory(directory, step), error)) {
    if (is_left_behind(found.path(), own_file)) {
      left_behind.push_back(found.path());
    }
  }
  for (const fs::path& path : left_behind) {
    fs::remove(path, error);
  }
  fs::remove(step_directory(directory, step), error);  // fails while other peers have files there
}

}  // namespace

fs::path step_directory(const fs::path& directory, std::uint64_t step) {
  return directory / step_name(step);
}

fs::path peer_file(const fs::path& directory, std::uint64_t step, std::uint64_t peer) {
  return step_directory(directory, step) / peer_name(peer);
}

std::uint64_t room_needed(const fs::path& directory, const PeerState& state, std::size_t keep) {
  const std::uint64_t all = state.peers * (keep + 1) * file_bytes(to_sections(state));
  std::uint64_t there = 0;
  for (const std::uint64_t step : checkpoint_steps(directory)) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(step_directory(directory, step), error)) {
      const std::uintmax_t size = file.file_size(error);
      there += error ? 0 : size;
    }
  }
  return all - std::min(all, there);
}

void save(const fs::path& directory, const PeerState& state, std::size_t keep) {
  ensure(state.peer < state.peers, "a rank is below the number of peers", state.peer, state.peers);
  const Sections sections = to_sections(state);
  prune(directory, state, keep);
  make_directory(step_directory(directory, state.step));
  write_sections(peer_file(directory, state.step, state.peer), sections);
  prune(directory, state, keep);
}

void prune(const fs::path& directory, const PeerState& state, std::size_t keep) {
  ensure(keep >= 1, "at least one checkpoint is kept", keep);
  std::vector<std::uint64_t> steps = checkpoint_steps(directory);
  std::size_t complete = 0;
  for (; !steps.empty(); steps.pop_back()) {
    const std::uint64_t step = steps.back();
    if (complete >= keep) {
      remove_step(directory, step, state);
    } else if (step <= state.step && is_complete(directory, step, state.peers)) {
      ++complete;
    }
  }
}

std::vector<std::uint64_t> checkpoint_steps(const fs::path& directory) {
  std::vector<std::uint64_t> steps;
  std::error_code error;
  for (const auto& found : fs::directory_iterator(directory, error)) {
    if (const auto step = step_of(found.path())) {
      steps.push_back(*step);
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

bool is_complete(const fs::path& directory, std::uint64_t step, std::uint64_t peers) {
  std::error_code error;
  for (std::uint64_t peer = peers; peer > 0; --peer) {
    if (!fs::is_regular_file(peer_file(directory, step, peer - 1), error)) {
      return false;
    }
  }
  return peers > 0;
}

std::optional<std::uint64_t> resumable_step(const fs::path& directory) {
  std::vector<std::uint64_t> steps = checkpoint_steps(directory);
  std::error_code error;
  for (; !steps.empty(); steps.pop_back()) {
    const fs::path first = peer_file(directory, steps.back(), 0);
    try {
      if (fs::is_regular_file(first, error) &&
          is_complete(directory, steps.back(), load_peer(first).peers)) {
        return steps.back();
      }
    } catch (const DataError&) {
      // Damaged: nothing goes on from there.
    }
  }
  return std::nullopt;
}

bool can_be_complete(const fs::path& directory,
                     std::uint64_t step,
                     std::span<const std::uint64_t> lost) {
  std::error_code error;
  return std::all_of(lost.begin(), lost.end(), [&](std::uint64_t peer) {
    return fs::is_regular_file(peer_file(directory, step, peer), error);
  });
}

void withdraw(const fs::path& directory,
              const PeerState& state,
              std::span<const std::uint64_t> lost) {
  std::error_code error;
  for (const std::uint64_t step : checkpoint_steps(directory)) {
    const bool is_ours =
        step <= state.step && fs::exists(peer_file(directory, step, state.peer), error);
    if (is_ours && !can_be_complete(directory, step, lost)) {
      remove_step(directory, step, state);
    }
  }
}

void withdraw_step(const fs::path& directory, const PeerState& state, std::uint64_t step) {
  remove_step(directory, step, state);
}

PeerState load_peer(const fs::path& file) {
  return from_sections(read_sections(file));
}

fs::path checkpoints_of(const fs::path& path) {
  const fs::path directory = without_slash(path);
  if (!step_of(directory)) {
    return directory;
  }
  return directory.has_parent_path() ? directory.parent_path() : fs::path(".");
}

std::optional<std::string> experiment_in(const fs::path& path) {
  const fs::path directory = checkpoints_of(path);
  const auto one = step_of(without_slash(path));
  std::vector<std::uint64_t> steps = one ? std::vector{*one} : checkpoint_steps(directory);
  for (; !steps.empty(); steps.pop_back()) {
    try {
      return load_peer(peer_file(directory, steps.back(), 0)).experiment;
    } catch (const DataError&) {
      // Missing or damaged: an older one may tell.
    }
  }
  return std::nullopt;
}

Checkpoint load_checkpoint(const fs::path& path, std::string_view experiment) {
  if (const auto step = step_of(without_slash(path))) {
    return load_one(checkpoints_of(path), *step, experiment);
  }
  return load_newest(checkpoints_of(path), experiment);
}

}  // namespace starling::trainer
