#include "starling/topology/edge_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "starling/core/error.hpp"
#include "starling/core/regular_file.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/fixed_rounds.hpp"

namespace starling::topology {

namespace {

constexpr double kSelfWeightTolerance = 1e-9;  // of a self weight the file states
constexpr double kRowTolerance = 1e-12;        // of fractions that add up to 1

// A hundred thousand peers with forty neighbours each fit in.
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostOfLine = 4096;

struct Entry {
  double weight = 0.0;
  std::size_t line = 0;
};

/// Reads one file; knows the line it is at, so that every refusal can name it.
class EdgeListReader {
 public:
  EdgeListReader(std::string path, std::size_t peers) : path_(std::move(path)), peers_(peers) {}

  void read() {
    std::string wrong;
    const auto content = read_regular_file(path_, kMostBytes, wrong);
    if (!content) {
      throw ConfigError(path_ + ": " + wrong);
    }
    std::istringstream lines(*content);
    std::string text;
    while (std::getline(lines, text)) {
      ++line_;
      if (text.size() > kMostOfLine) {
        fail(line_,
             "a line of at most " + place(kMostOfLine) + " bytes",
             place(text.size()) + " bytes");
      }
      read_line(text.substr(0, text.find('#')));
    }
  }

  [[nodiscard]] bool is_weighted() const { return weighted_ == Weighted::yes; }

  [[nodiscard]] Graph graph() const {
    Graph graph(peers_);
    for (const auto& [ends, entry] : entries_) {
      graph.add_arc(ends.second, ends.first);
    }
    return graph;
  }

  /// The file's weights, rows checked and completed.
  [[nodiscard]] std::vector<MixingRow> rows() const {
    std::vector<Arc> arcs;
    std::map<std::size_t, double> sums;  // of the weights of a row so far
    for (const auto& [ends, entry] : entries_) {
      const auto [to, from] = ends;
      double& sum = sums[to];
      sum += entry.weight;
      const bool is_stated = entries_.find({to, to}) != entries_.end();
      if (sum > 1.0 + (is_stated ? kSelfWeightTolerance : kRowTolerance)) {
        fail(entry.line,
             "the weights of what rank " + place(to) + " receives to sum to at most 1",
             number(sum));
      }
      if (from != to) {
        arcs.push_back({from, to, entry.weight});
      }
    }
    for (std::size_t rank = 0; rank < peers_; ++rank) {
      const auto self = entries_.find({rank, rank});
      if (self != entries_.end() && std::abs(sums[rank] - 1.0) > kSelfWeightTolerance) {
        fail(self->second.line,
             "row " + place(rank) + " to sum to 1 with this self weight",
             number(sums[rank]));
      }
    }
    std::vector<MixingRow> rows = rows_from_arcs(peers_, std::move(arcs), Complete::rows);
    for (MixingRow& row : rows) {
      row.self_weight = std::max(row.self_weight, 0.0);
    }
    return rows;
  }

 private:
  enum class Weighted { unknown, no, yes };

  static std::string place(std::size_t value) { return std::to_string(value); }

  static std::string number(double value) {
    std::ostringstream text;
    text.precision(12);
    text << value;
    return text.str();
  }

  [[noreturn]] void fail(std::size_t line,
                         const std::string& expected,
                         const std::string& found) const {
    throw ConfigError(path_ + ":" + place(line) + ": expected " + expected + ", found " + found);
  }

  void read_line(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
      words.push_back(word);
    }
    if (words.empty()) {
      return;
    }
    if (words.size() == 1 && !begun_ && (words[0] == "symmetric" || words[0] == "directed")) {
      symmetric_ = words[0] == "symmetric";
      begun_ = true;
      return;
    }
    begun_ = true;
    if (words.size() != 2 && words.size() != 3) {
      fail(line_, "'from to' or 'from to weight'", "'" + text + "'");
    }
    const Weighted weighted = words.size() == 3 ? Weighted::yes : Weighted::no;
    if (weighted_ != Weighted::unknown && weighted_ != weighted) {
      fail(line_,
           weighted_ == Weighted::yes ? "a weight as in the lines before"
                                      : "no weight as in the lines before",
           "'" + text + "'");
    }
    weighted_ = weighted;
    const std::size_t from = rank(words[0]);
    const std::size_t to = rank(words[1]);
    if (from == to && weighted == Weighted::no) {
      fail(line_, "two different ranks", "'" + text + "'");
    }
    const double weight = words.size() == 3 ? parse_weight(words[2], from == to) : 0.0;
    add(from, to, weight);
    if (symmetric_ && from != to) {
      add(to, from, weight);
    }
  }

  [[nodiscard]] std::size_t rank(const std::string& word) const {
    const auto rank = parse_size(word);
    if (!rank || *rank >= peers_) {
      fail(line_, "a rank below " + place(peers_) + " (the number of peers)", "'" + word + "'");
    }
    return *rank;
  }

  [[nodiscard]] double parse_weight(const std::string& word, bool of_self) const {
    const auto parts = split(word, '/');
    const auto top = parse_double(parts[0]);
    const auto bottom = parts.size() == 2 ? parse_double(parts[1]) : std::optional<double>(1.0);
    const bool readable = parts.size() <= 2 && top && bottom && *bottom != 0.0;
    const double weight = readable ? *top / *bottom : -1.0;
    if (!(weight >= 0.0 && weight <= 1.0) || (weight == 0.0 && !of_self)) {
      fail(line_,
           of_self ? "a self weight from 0 to 1" : "a weight above 0 and at most 1",
           "'" + word + "'");
    }
    return weight;
  }

  void add(std::size_t from, std::size_t to, double weight) {
    const auto [entry, is_new] = entries_.try_emplace({to, from}, Entry{weight, line_});
    if (is_new) {
      return;
    }
    const std::string edge = place(from) + " -> " + place(to);
    const std::string before = "in line " + place(entry->second.line);
    if (symmetric_ && weight != entry->second.weight) {
      fail(line_,
           edge + " to weigh " + number(entry->second.weight) + " as " + before +
               " (the file says it is symmetric)",
           number(weight));
    }
    if (!symmetric_) {
      fail(line_, edge + " once", "it again, first " + before);
    }
  }

  std::string path_;
  std::size_t peers_;
  std::size_t line_ = 0;
  bool begun_ = false;
  bool symmetric_ = false;
  Weighted weighted_ = Weighted::unknown;
  std::map<std::pair<std::size_t, std::size_t>, Entry> entries_;  // by (to, from)
};

void require_fitting_rule(const Request& request,
                          const EdgeListReader& reader,
                          const Graph& graph) {
  const WeightRule rule = request.weights;
  if (reader.is_weighted() && rule != WeightRule::natural && rule != WeightRule::lazy) {
    refuse(request,
           "the file has its own weights, found weights '" + to_string(rule) +
               "'; what fits: auto, lazy");
  }
  if (!reader.is_weighted() && rule != WeightRule::push && !graph.is_undirected()) {
    refuse(request,
           "a directed file without weights has no rows that sum to 1, found weights '" +
               to_string(rule) + "'; what fits: push, or weights in the file");
  }
}

void make_lazy(std::vector<MixingRow>& rows) {
  for (MixingRow& row : rows) {
    for (Link& link : row.receives) {
      link.weight *= 0.5;
    }
    for (Link& link : row.sends) {
      link.weight *= 0.5;
    }
    row.self_weight = remainder_of(row.receives);
  }
}

/// "auto" on a graph without weights whose rows nothing makes sum to 1, where columns do.
bool push_is_natural(const Request& request, const EdgeListReader& reader, const Graph& graph) {
  return request.weights == WeightRule::natural && request.columns_suffice &&
         !reader.is_weighted() && !graph.is_undirected();
}

}  // namespace

Made make_from_file(const Request& asked) {
  Request request = asked;
  if (!request.argument || request.argument->empty()) {
    refuse(request, "expected the path of an edge list behind the colon, found none");
  }
  EdgeListReader reader(*request.argument, request.peers);
  reader.read();
  const Graph graph = reader.graph();
  if (push_is_natural(request, reader, graph)) {
    request.weights = WeightRule::push;
  }
  require_fitting_rule(request, reader, graph);
  if (const auto rank = graph.cut_off()) {
    throw ConfigError(*request.argument + ": expected everybody to reach everybody, found rank " +
                      std::to_string(*rank) + " cut off from rank 0");
  }
  if (!reader.is_weighted()) {
    return make_fixed(request, graph);
  }
  std::vector<std::vector<MixingRow>> rounds{reader.rows()};
  if (request.weights == WeightRule::lazy) {
    make_lazy(rounds.front());
  }
  return std::make_shared<FixedRounds>(request.name, std::move(rounds));
}

}  // namespace starling::topology
