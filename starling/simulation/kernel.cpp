#include "starling/simulation/kernel.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include <cxxabi.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <xbt/log.h>

#include "starling/core/ensure.hpp"
#include "starling/simulation/hosts.hpp"

// SimGrid's clock (simgrid::kernel::EngineImpl::now_) runs on from one engine to the next, which
// would change the rounding of every later moment: a run would not repeat to the nanosecond in a
// process that simulated before. No public call sets it back. Weak: where a version lacks it we
// count from where the clock stands and lose only that.
extern double starling_simgrid_clock __asm__("_ZN7simgrid6kernel10EngineImpl4now_E")
    __attribute__((weak));

namespace starling::simulation {

namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;
using simgrid::kernel::timer::Timer;

/// The exceptions being handled belong to a thread, and all actors share one: an actor that waits
/// in a catch block takes its own along (the layout is that of the Itanium C++ ABI).
class OwnExceptions {
 public:
  OwnExceptions() noexcept : own_(std::exchange(current(), {})) {}

  OwnExceptions(const OwnExceptions&) = delete;
  OwnExceptions& operator=(const OwnExceptions&) = delete;

  ~OwnExceptions() { current() = own_; }

 private:
  struct State {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  static State& current() noexcept { return *reinterpret_cast<State*>(abi::__cxa_get_globals()); }

  State own_;
};

/// SimGrid takes SIGINT for itself when it starts; the program's own handler stays.
class KeepInterruptHandler {
 public:
  KeepInterruptHandler() noexcept { sigaction(SIGINT, nullptr, &kept_); }

  KeepInterruptHandler(const KeepInterruptHandler&) = delete;
  KeepInterruptHandler& operator=(const KeepInterruptHandler&) = delete;

  ~KeepInterruptHandler() { sigaction(SIGINT, &kept_, nullptr); }

 private:
  struct sigaction kept_ = {};
};

s4u::Engine* start_engine(std::size_t stack_bytes) {
  ensure(!s4u::Engine::has_instance(), "one simulation at a time in a process");
  const KeepInterruptHandler keep;
  xbt_log_control_set("root.thresh:critical");
#ifdef STARLING_SANITIZED
  s4u::Engine::set_config("contexts/factory", std::string("thread"));
#else
  s4u::Engine::set_config("contexts/factory", std::string("raw"));
#endif
  if (&starling_simgrid_clock != nullptr) {
    starling_simgrid_clock = 0.0;
  }
  auto* engine = new s4u::Engine("starling");  // shutdown() deletes it
  const std::size_t kibibytes = std::max<std::size_t>(16, (stack_bytes + 1023) / 1024);
  s4u::Engine::set_config("contexts/stack-size", static_cast<int>(kibibytes));
  return engine;
}

void stop_engine(s4u::Engine* engine) {
  // Its slot holds a pointer to the engine that goes; the next platform file would call it.
  s4u::Engine::on_platform_created.disconnect_slots();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  engine->shutdown();
#pragma GCC diagnostic pop
}

}  // namespace

struct Kernel::Impl {
  struct Flight {
    FlightId id = 0;
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t bytes = 0;
    s4u::CommPtr comm;
    bool cancelled = false;
  };

  explicit Impl(const KernelOptions& options) : engine(start_engine(options.stack_bytes)) {
    current = this;
    start_seconds = s4u::Engine::get_clock();
    static const bool connected = [] {
      s4u::Activity::on_completion_cb([](const s4u::Activity& activity) { completed(activity); });
      return true;
    }();
    static_cast<void>(connected);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    for (auto& [id, flight] : flights) {
      if (flight.comm) {
        flight.comm->set_data(nullptr);
      }
    }
    landed_comms.clear();
    current = nullptr;
    stop_engine(engine);
  }

  static void completed(const s4u::Activity& activity) {
    auto* flight = activity.get_data<Flight>();
    if (current == nullptr || flight == nullptr) {
      return;
    }
    // A cancelled transfer completes twice: once when it is told, once when the model lets go of
    // it.
    if (activity.get_state() == s4u::Activity::State::CANCELED) {
      return;
    }
    current->finish(*flight);
  }

  void finish(Flight& flight) {
    const FlightId id = flight.id;
    const bool cancelled = flight.cancelled;
    flight.comm->set_data(nullptr);
    landed_comms.push_back(std::move(flight.comm));  // SimGrid is still busy with it
    flights.erase(id);
    if (cancelled) {
      --cancelled_flights;
    } else if (landed) {
      landed(id);
      for (s4u::Actor* actor : std::exchange(resumed, {})) {
        actor->resume();
      }
    }
  }

  /// What actors asked for since the last pause, in the kernel's own context: only comms started
  /// there report their end to on_completion.
  void carry_out() {
    landed_comms.clear();
    for (s4u::Actor* actor : std::exchange(resumed, {})) {
      actor->resume();
    }
    for (const FlightId id : std::exchange(called_off, {})) {
      const auto found = flights.find(id);
      if (found != flights.end()) {
        found->second.comm->cancel();
      }
    }
    for (const FlightId id : std::exchange(outbox, {})) {
      const auto found = flights.find(id);
      if (found == flights.end()) {
        continue;
      }
      Flight& flight = found->second;
      flight.comm = s4u::Comm::sendto_async(hosts[flight.from], hosts[flight.to], flight.bytes);
      flight.comm->set_data(&flight);
    }
  }

  /// @return whether there was anything, and so whether other actors have run meanwhile
  bool flush() {
    if (outbox.empty() && resumed.empty() && called_off.empty()) {
      return false;
    }
    const OwnExceptions own;
    simcall_answered([this] { carry_out(); });
    return true;
  }

  void ring() {
    alarm_timer = nullptr;
    rung = alarm_time;
    if (alarm) {
      alarm();
    }
    flush();
  }

  static inline Impl* current = nullptr;

  s4u::Engine* engine;
  double start_seconds = 0.0;
  double fastest = 1.0;
  std::vector<s4u::Host*> hosts;
  std::map<FlightId, Flight> flights;
  std::size_t cancelled_flights = 0;
  std::vector<FlightId> outbox;
  std::vector<FlightId> called_off;
  std::vector<s4u::Actor*> resumed;
  std::vector<s4u::CommPtr> landed_comms;
  FlightId next_flight = 1;
  std::function<void()> alarm;
  std::function<void(FlightId)> landed;
  Timer* alarm_timer = nullptr;
  Time alarm_time{};
  Time rung{};  // the last alarm
};

Kernel::Kernel(const Platform& platform, const KernelOptions& options)
    : impl_(std::make_unique<Impl>(options)) {
  impl_->hosts = build_hosts(platform, options.peers, options.seed);
  const auto slower = [](const auto* a, const auto* b) { return a->get_speed() < b->get_speed(); };
  const auto fastest = std::max_element(impl_->hosts.begin(), impl_->hosts.end(), slower);
  if (fastest != impl_->hosts.end()) {
    impl_->fastest = (*fastest)->get_speed();
  }
}

Kernel::~Kernel() = default;

void Kernel::on_alarm(std::function<void()> callback) {
  impl_->alarm = std::move(callback);
}

void Kernel::on_landed(std::function<void(FlightId)> callback) {
  impl_->landed = std::move(callback);
}

Time Kernel::now() const {
  // An alarm has come when it rings, whatever the rounding of large moments says.
  return std::max(impl_->rung, Time{from_seconds(s4u::Engine::get_clock() - impl_->start_seconds)});
}

double Kernel::speed(std::size_t host) const {
  return impl_->hosts[host]->get_speed() / impl_->fastest;
}

Kernel::Actor* Kernel::start(std::size_t host,
                             const std::string& name,
                             std::function<void()> body) {
  const OwnExceptions own;
  const auto run_body = [impl = impl_.get(), body = std::move(body)] {
    body();
    impl->flush();
  };
  const s4u::ActorPtr actor = s4u::Actor::create(name, impl_->hosts[host], run_body);
  return reinterpret_cast<Actor*>(actor.get());
}

void Kernel::pause() {
  // Somebody who ran meanwhile may have resumed the caller, which must not be missed.
  if (impl_->flush()) {
    return;
  }
  const OwnExceptions own;
  s4u::this_actor::suspend();
}

void Kernel::resume(Actor& actor) {
  impl_->resumed.push_back(reinterpret_cast<s4u::Actor*>(&actor));
}

void Kernel::set_alarm(Time at) {
  if (impl_->alarm_timer != nullptr && impl_->alarm_time == at) {
    return;
  }
  clear_alarm();
  const double date = impl_->start_seconds + seconds(at);
  impl_->alarm_time = at;
  impl_->alarm_timer =
      Timer::set(std::max(date, s4u::Engine::get_clock()), [impl = impl_.get()] { impl->ring(); });
}

void Kernel::clear_alarm() noexcept {
  if (impl_->alarm_timer != nullptr) {
    std::exchange(impl_->alarm_timer, nullptr)->remove();
  }
}

FlightId Kernel::launch(std::size_t from, std::size_t to, std::size_t bytes) {
  const FlightId id = impl_->next_flight++;
  impl_->flights.emplace(id, Impl::Flight{id, from, to, bytes, nullptr, false});
  impl_->outbox.push_back(id);
  return id;
}

void Kernel::cancel(FlightId flight) {
  const auto found = impl_->flights.find(flight);
  if (found == impl_->flights.end() || found->second.cancelled) {
    return;
  }
  if (!found->second.comm) {
    impl_->flights.erase(found);
    return;
  }
  found->second.cancelled = true;
  ++impl_->cancelled_flights;
  impl_->called_off.push_back(flight);
}

std::size_t Kernel::in_flight() const noexcept {
  return impl_->flights.size() - impl_->cancelled_flights;
}

void Kernel::run() {
  const OwnExceptions own;
  impl_->engine->run();
}

}  // namespace starling::simulation
