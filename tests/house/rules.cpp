#include "tests/house/rules.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace starling::house {

namespace {

constexpr std::size_t kLongestFile = 600;
constexpr std::size_t kWidestLine = 100;

constexpr std::array<std::string_view, 16> kRooms{"core",
                                                  "wire",
                                                  "peer",
                                                  "topology",
                                                  "codec",
                                                  "collective",
                                                  "mixing",
                                                  "objective",
                                                  "optimizer",
                                                  "swarm",
                                                  "algorithm",
                                                  "trainer",
                                                  "model",
                                                  "transport",
                                                  "simulation",
                                                  "cli"};

std::size_t place_of(std::string_view room) {
  return static_cast<std::size_t>(std::find(kRooms.begin(), kRooms.end(), room) - kRooms.begin());
}

bool lies_between(std::string_view room, std::string_view first, std::string_view last) {
  const std::size_t place = place_of(room);
  return place >= place_of(first) && place <= place_of(last);
}

/// Where a ban does not hold.
enum class Scope {
  everywhere,   // but in the home
  quiet_rooms,  // holds from topology/ down to algorithm/, where time and chance come from the Peer
};

struct Ban {
  std::string_view what;
  Scope scope;
  std::string_view home;  // a path that may use it; empty: nobody
  std::string_view instead;
};

constexpr std::string_view kPeerInstead = "the Peer of starling/peer/peer.hpp";
constexpr std::string_view kTimeInstead = "the Peer's clock(), spawn() and SharedModel";
constexpr std::string_view kChanceInstead = "Random of starling/core/random.hpp";
constexpr std::string_view kSortedInstead = "a sorted container";
constexpr std::string_view kEventInstead = "events and exceptions";
constexpr std::string_view kSpanInstead = "std::span<float> and Objective";

/// Included paths that begin like this.
constexpr std::array kBannedIncludes{
    Ban{"asio", Scope::everywhere, "starling/transport/", kPeerInstead},
    Ban{"openssl/", Scope::everywhere, "starling/transport/", kPeerInstead},
    Ban{"sys/socket.h", Scope::everywhere, "starling/transport/", kPeerInstead},
    Ban{"netinet/", Scope::everywhere, "starling/transport/", kPeerInstead},
    Ban{"arpa/", Scope::everywhere, "starling/transport/", kPeerInstead},
    Ban{"mpi.h", Scope::everywhere, "starling/transport/mpi/", kPeerInstead},
    Ban{"opendht", Scope::everywhere, "starling/transport/dht/", "the Peer's directory()"},
    Ban{"simgrid/", Scope::everywhere, "starling/simulation/", kPeerInstead},
    Ban{"torch/", Scope::everywhere, "starling/model/", kSpanInstead},
    Ban{"ATen/", Scope::everywhere, "starling/model/", kSpanInstead},
    Ban{"c10/", Scope::everywhere, "starling/model/", kSpanInstead},
    Ban{"iostream", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"format", Scope::everywhere, "", "std::ostringstream; this compiler has no <format>"},
    Ban{"coroutine", Scope::everywhere, "", "blocking code, which runs on every world"},
    Ban{"random", Scope::everywhere, "", kChanceInstead},
    Ban{"thread", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"mutex", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"shared_mutex", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"condition_variable", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"unordered_", Scope::quiet_rooms, "", kSortedInstead},
};

/// Names in the code; a call is written with its parenthesis.
constexpr std::array kBannedNames{
    Ban{"thread", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"jthread", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"mutex", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"sleep_for", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"steady_clock", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"system_clock", Scope::quiet_rooms, "", kTimeInstead},
    Ban{"random_device", Scope::quiet_rooms, "", kChanceInstead},
    Ban{"mt19937", Scope::quiet_rooms, "", kChanceInstead},
    Ban{"std::shuffle", Scope::quiet_rooms, "", kChanceInstead},
    Ban{"rand(", Scope::everywhere, "", kChanceInstead},
    Ban{"unordered_", Scope::quiet_rooms, "", kSortedInstead},
    Ban{"std::cout", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"std::cerr", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"printf(", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"fprintf(", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"exit(", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"abort(", Scope::everywhere, "starling/cli/", kEventInstead},
    Ban{"dynamic_cast",
        Scope::everywhere,
        "starling/algorithm/registry.cpp",
        "a virtual or a line of a table"},
    Ban{"if (name == \"",
        Scope::everywhere,
        "starling/algorithm/registry.cpp",
        "a virtual or a line of a table"},
    Ban{"std::async", Scope::everywhere, "", "spawn() of the Peer"},
    Ban{"std::views",
        Scope::everywhere,
        "",
        "an algorithm or a loop; clang-tidy 14 breaks on them"},
    Ban{"std::execution", Scope::everywhere, "", "a loop: sums go in rank order"},
};

bool holds_in(const Ban& ban, const SourceFile& file) {
  if (!ban.home.empty() && file.path.starts_with(ban.home)) {
    return false;
  }
  return ban.scope == Scope::everywhere ||
         lies_between(room_of(file.path), "topology", "algorithm");
}

Finding banned(const Ban& ban, const SourceFile& file, std::size_t line) {
  std::string what(ban.what);
  if (what.back() == '(') {
    what += ")";
  }
  return {file.path,
          line,
          what + " is banned in " + room_of(file.path) + "/, use " + std::string(ban.instead)};
}

bool include_begins(std::string_view path, std::string_view what) {
  if (!path.starts_with(what)) {
    return false;
  }
  const char last = what.back();
  const bool is_whole = last != '/' && last != '_' && what != "asio" && what != "opendht";
  return !is_whole || path.size() == what.size();
}

/// Columns as a reader counts them: continuation bytes of UTF-8 take none.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  }));
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

/// The files that a CMakeLists.txt names, as paths from the root.
void add_listed(const SourceFile& lists, std::set<std::string>& listed) {
  constexpr std::string_view kBreaks = " \t()\"";
  for (std::string line : lines_of(lists.text)) {
    line = line.substr(0, line.find('#'));
    std::size_t at = 0;
    while ((at = line.find_first_not_of(kBreaks, at)) != std::string::npos) {
      const std::size_t end = std::min(line.find_first_of(kBreaks, at), line.size());
      const std::string word = line.substr(at, end - at);
      constexpr std::string_view kRoot = "${PROJECT_SOURCE_DIR}/";
      listed.insert(word.starts_with(kRoot) ? word.substr(kRoot.size())
                                            : folder_of(lists.path) + word);
      at = end;
    }
  }
}

/// A header that is not installed serves the sources and the private headers of its room, and
/// tests.
bool may_see_private(const SourceFile& file,
                     std::string_view room,
                     const std::set<std::string>& listed) {
  const bool is_public_header = is_header(file) && listed.contains(file.path);
  return is_exempt(file) || (room_of(file.path) == room && !is_public_header);
}

}  // namespace

Findings check_inclusion_order(const SourceFile& file) {
  Findings findings;
  if (is_exempt(file)) {
    return findings;
  }
  const std::string room = room_of(file.path);
  if (place_of(room) == kRooms.size()) {
    findings.push_back({file.path, 0, "the house has no room '" + room + "'"});
    return findings;
  }
  for (const Include& include : includes_of(file.text)) {
    const std::string other = room_of(include.path);
    if (include.in_quotes && !other.empty() && place_of(other) > place_of(room)) {
      findings.push_back({file.path,
                          include.line,
                          other + "/ is banned in " + room +
                              "/, use an interface in core/ or peer/: a room includes only "
                              "itself and the rooms above it"});
    }
  }
  return findings;
}

Findings check_banned(const SourceFile& file) {
  Findings findings;
  if (is_exempt(file)) {
    return findings;
  }
  for (const Include& include : includes_of(file.text)) {
    for (const Ban& ban : kBannedIncludes) {
      if (!include.in_quotes && include_begins(include.path, ban.what) && holds_in(ban, file)) {
        findings.push_back(banned(ban, file, include.line));
      }
    }
  }
  const std::vector<std::string> lines = lines_of(code_of(file.text));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (lines[k].starts_with("#include")) {
      continue;
    }
    for (const Ban& ban : kBannedNames) {
      if (find_word(lines[k], ban.what) != std::string::npos && holds_in(ban, file)) {
        findings.push_back(banned(ban, file, k + 1));
      }
    }
  }
  return findings;
}

Findings check_third_party_headers(const SourceFile& file) {
  Findings findings;
  if (!lies_between(room_of(file.path), "core", "trainer")) {
    return findings;
  }
  for (const Include& include : includes_of(file.text)) {
    if (!include.in_quotes && include.path.find_first_of("/.") != std::string::npos) {
      findings.push_back(
          {file.path,
           include.line,
           "<" + include.path + "> is banned in a public header, use it in the .cpp"});
    }
  }
  return findings;
}

Findings check_form(const SourceFile& file) {
  Findings findings;
  const std::vector<std::string> lines = lines_of(file.text);
  if (lines.size() > kLongestFile) {
    findings.push_back({file.path,
                        lines.size(),
                        "expected at most " + std::to_string(kLongestFile) + " lines, found " +
                            std::to_string(lines.size()) + "; which two files did it become?"});
  }
  const std::string later = std::string("TO") + "DO";
  const std::string broken = std::string("FIX") + "ME";
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (const std::size_t width = columns(lines[k]); width > kWidestLine) {
      findings.push_back({file.path,
                          k + 1,
                          "expected at most " + std::to_string(kWidestLine) + " columns, found " +
                              std::to_string(width)});
    }
    for (const std::string& mark : {later, broken}) {
      if (find_word(lines[k], mark) != std::string::npos) {
        findings.push_back({file.path, k + 1, mark + " is banned, use an issue, or finish it"});
      }
    }
  }
  if (is_header(file) && std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
    findings.push_back({file.path, 1, "expected #pragma once"});
  }
  return findings;
}

Findings check_includes_from_root(const SourceFile& file, const std::set<std::string>& paths) {
  Findings findings;
  for (const Include& include : includes_of(file.text)) {
    if (include.in_quotes && !paths.contains(include.path)) {
      findings.push_back(
          {file.path,
           include.line,
           "expected a file by its path from the root, found \"" + include.path + "\""});
    }
  }
  return findings;
}

std::set<std::string> listed_files(const std::vector<SourceFile>& tree) {
  std::set<std::string> listed;
  for (const SourceFile& file : tree) {
    if (file.path.ends_with("CMakeLists.txt")) {
      add_listed(file, listed);
    }
  }
  return listed;
}

Findings check_listed(const std::vector<SourceFile>& tree) {
  const std::set<std::string> listed = listed_files(tree);
  std::set<std::string> used;
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_code(file)) {
      continue;
    }
    if (!is_header(file) && !listed.contains(file.path)) {
      findings.push_back({file.path, 0, "expected in a CMakeLists.txt, found in none: not built"});
    }
    for (const Include& include : includes_of(file.text)) {
      used.insert(include.path);
      const std::string room = room_of(include.path);
      if (!room.empty() && !listed.contains(include.path) && !may_see_private(file, room, listed)) {
        findings.push_back({file.path,
                            include.line,
                            include.path + " is private to " + room + "/, list it under HEADERS"});
      }
    }
  }
  for (const SourceFile& file : tree) {
    const bool is_ours = is_header(file) && file.path.starts_with("starling/");
    if (is_ours && !listed.contains(file.path) && !used.contains(file.path)) {
      findings.push_back(
          {file.path, 0, "expected an #include somewhere or a line under HEADERS, found none"});
    }
  }
  return findings;
}

Findings check_script(const SourceFile& file, bool is_executable) {
  Findings findings;
  if (!file.text.starts_with("#!")) {
    findings.push_back({file.path, 1, "expected a #! line"});
  }
  if (!is_executable) {
    findings.push_back({file.path, 0, "expected an executable file"});
  }
  return findings;
}

Findings check_readme(const SourceFile& readme) {
  Findings findings;
  for (const char* command : {"./scripts/demo", "./scripts/test"}) {
    if (readme.text.find(command) == std::string::npos) {
      findings.push_back({readme.path, 0, std::string("expected the command ") + command});
    }
  }
  return findings;
}

}  // namespace starling::house
