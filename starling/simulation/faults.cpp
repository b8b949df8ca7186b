#include "starling/simulation/faults.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/text.hpp"
#include "starling/simulation/quantity.hpp"

namespace starling::simulation {

namespace {

/// Of runs whose length nobody knows.
constexpr Duration kWindow = std::chrono::seconds(10);

/// One item of a list of rates.
struct Rate {
  Fault::Kind kind = Fault::Kind::kill;
  std::string name;
  double share = 0.0;
  double factor = 1.0;
  std::optional<Duration> duration;
};

[[noreturn]] void refuse(std::string_view rates, const std::string& finding) {
  throw ConfigError("faults '" + std::string(rates) + "': " + finding);
}

/// How the item of a kind is written.
struct Form {
  const char* name;
  const char* form;
  Fault::Kind kind;
  bool needs_duration;
};

constexpr Form kForms[] = {
    {"kill", "kill:SHARE or kill:SHARE:TIME", Fault::Kind::kill, false},
    {"pause", "pause:SHARE:TIME", Fault::Kind::pause, true},
    {"slow", "slow:SHARExFACTOR or slow:SHARExFACTOR:TIME", Fault::Kind::slow, false},
    {"linkdown", "linkdown:SHARE:TIME", Fault::Kind::link_down, true},
    {"delay", "delay:SHARE:TIME", Fault::Kind::delay, true},
};

const Form& form_of(std::string_view rates, const std::string& name) {
  std::vector<std::string> names;
  for (const Form& form : kForms) {
    if (form.name == name) {
      return form;
    }
    names.emplace_back(form.name);
  }
  names.emplace_back("window");
  refuse(rates,
         "unknown fault '" + name + "'" + suggestion(name, names) +
             " (a file of faults ends in .toml)");
}

/// "0.05" or, for slow, "0.05x4".
bool parse_amount(std::string text, Rate& rate) {
  if (rate.kind == Fault::Kind::slow) {
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos) {
      return false;
    }
    const auto factor = parse_double(text.substr(cross + 1));
    if (!factor || !(*factor > 0 && *factor < 1e6)) {
      return false;
    }
    rate.factor = *factor;
    text.resize(cross);
  }
  const auto share = parse_share(text);
  rate.share = share.value_or(0.0);
  return share.has_value();
}

Rate parse_rate(std::string_view rates, const std::string& item) {
  const std::vector<std::string> parts = split(item, ':');
  const Form& form = form_of(rates, parts[0]);
  Rate rate;
  rate.kind = form.kind;
  rate.name = form.name;
  bool good = parts.size() >= 2 && parts.size() <= 3 && parse_amount(parts[1], rate);
  if (good && parts.size() == 3) {
    rate.duration = parse_duration(parts[2]);
    good = rate.duration && *rate.duration > Duration{};
  }
  if (!good || (form.needs_duration && !rate.duration)) {
    refuse(rates, "expected " + std::string(form.form) + ", found '" + item + "'");
  }
  return rate;
}

/// From the start of the run, whatever the window.
bool is_always(const Rate& rate) {
  return rate.kind == Fault::Kind::slow && !rate.duration;
}

/// One stream a peer and item: the draws of one change nothing for another.
void add_drawn(const Rate& rate, Duration window, const FaultDraw& draw, FaultPlan& plan) {
  Fault fault;
  fault.kind = rate.kind;
  fault.factor = rate.factor;
  if (rate.kind == Fault::Kind::delay) {
    fault.probability = rate.share;
    fault.by = *rate.duration;
    plan.faults.push_back(fault);
    return;
  }
  plan.asks_peers = true;
  for (std::size_t rank = 0; rank < draw.peers; ++rank) {
    Random random(stream_key(draw.seed, rank), stream_key("simulation.fault." + rate.name));
    if (!random.bernoulli(rate.share)) {
      continue;
    }
    fault.peer = PeerId{rank};
    const double start = is_always(rate) ? 0.0 : random.uniform() * seconds(window);
    fault.from = Time{from_seconds(start)};
    fault.until = rate.duration ? fault.from + *rate.duration : Time::max();
    plan.faults.push_back(fault);
  }
}

Duration parse_window(std::string_view rates, const std::string& item) {
  const auto window = parse_duration(std::string_view(item).substr(item.find(':') + 1));
  if (!window) {
    refuse(rates, "expected window:TIME, found '" + item + "'");
  }
  return *window;
}

const char* name_of(Fault::Kind kind) {
  for (const Form& form : kForms) {
    if (form.kind == kind) {
      return form.name;
    }
  }
  return "unknown";
}

}  // namespace

bool FaultPlan::has(Fault::Kind kind) const {
  return std::any_of(
      faults.begin(), faults.end(), [kind](const Fault& fault) { return fault.kind == kind; });
}

FaultPlan plan_rates(std::string_view rates, const FaultDraw& draw) {
  std::vector<Rate> items;
  std::optional<Duration> window;
  std::set<std::string> given;
  for (const std::string& item : split(rates, ',')) {
    const std::string name = item.substr(0, item.find(':'));
    if (!given.insert(name).second) {  // both would be drawn alike and hit the same peers
      refuse(rates, "'" + name + "' is given twice; a file of faults takes several of a kind");
    }
    if (item.starts_with("window:")) {
      window = parse_window(rates, item);
    } else {
      items.push_back(parse_rate(rates, item));
    }
  }
  const bool any_begins = std::any_of(items.begin(), items.end(), [](const Rate& rate) {
    return rate.kind != Fault::Kind::delay && !is_always(rate);
  });
  if (window && !any_begins) {
    refuse(rates, "window has no effect on delay and on slow without a time");
  }
  const Duration known = draw.run_length > Duration{} ? draw.run_length : kWindow;
  FaultPlan plan;
  for (const Rate& item : items) {
    add_drawn(item, window.value_or(known), draw, plan);
  }
  return plan;
}

FaultPlan plan_faults(std::string_view text, const FaultDraw& draw) {
  if (text.empty()) {
    return {};
  }
  std::error_code ignored;  // then it is no file, but rates
  if (text.ends_with(".toml") || std::filesystem::is_regular_file(text, ignored)) {
    return plan_file(std::string(text), draw);
  }
  return plan_rates(text, draw);
}

std::string account(const FaultPlan& plan, const std::vector<bool>& happened, Time end) {
  struct Count {
    std::size_t planned = 0;
    std::size_t happened = 0;
  };

  std::map<Fault::Kind, Count> by_kind;
  Count all;
  for (std::size_t k = 0; k < plan.faults.size(); ++k) {
    if (plan.faults[k].kind == Fault::Kind::delay) {
      continue;
    }
    for (Count* count : {&all, &by_kind[plan.faults[k].kind]}) {
      ++count->planned;
      count->happened += happened[k] ? 1 : 0;
    }
  }
  if (all.planned == 0) {
    return plan.asks_peers ? "faults: none was drawn with this seed" : "";
  }
  std::ostringstream text;
  text << "faults: " << all.happened << " of " << all.planned
       << " happened before the run ended at " << seconds(end) << " s (";
  const char* separator = "";
  for (const auto& [kind, count] : by_kind) {
    text << std::exchange(separator, ", ") << name_of(kind) << " " << count.happened << " of "
         << count.planned;
  }
  text << ")";
  return text.str();
}

}  // namespace starling::simulation
