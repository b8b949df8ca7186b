#include "starling/simulation/hosts.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>

#include "starling/core/error.hpp"

namespace starling::simulation {

namespace {

namespace s4u = simgrid::s4u;

using Hosts = std::vector<s4u::Host*>;

// What SimGrid's network model is told. Always all of it: the settings outlive an engine.
struct TransferModel {
  const char* latency_factor;
  const char* bandwidth_factor;
  const char* weight_s;   // unfairness between flows of different round-trip times
  const char* tcp_gamma;  // largest TCP window in bytes; 0: no window
  const char* crosstraffic;
};

// Time of a transfer = latency + bytes / bandwidth, nothing else.
constexpr TransferModel kExact{"1", "1", "0", "0", "no"};
// TCP: 3 % of the bits are headers, a window of 4 MiB, slow partners get less. SimGrid's own
// latency factor (13, calibrated on clusters) would turn 30 ms into 390.
constexpr TransferModel kTcp{"1", "0.97", "20537", "4194304", "no"};
// What the authors of platform files calibrate for.
constexpr TransferModel kSimgrid{"13.01", "0.97", "20537", "4194304", "yes"};

void set_model(const TransferModel& model) {
  s4u::Engine::set_config(std::string("network/latency-factor:") + model.latency_factor);
  s4u::Engine::set_config(std::string("network/bandwidth-factor:") + model.bandwidth_factor);
  s4u::Engine::set_config(std::string("network/weight-S:") + model.weight_s);
  s4u::Engine::set_config(std::string("network/TCP-gamma:") + model.tcp_gamma);
  s4u::Engine::set_config(std::string("network/crosstraffic:") + model.crosstraffic);
}

constexpr double bytes_per_second(double bits) {
  return bits / 8;
}

std::string name_of(std::size_t rank) {
  return "peer-" + std::to_string(rank);
}

Hosts build_lan(const Platform& platform, std::size_t peers) {
  set_model(kTcp);
  const double bandwidth = bytes_per_second(platform.bandwidth.value_or(kLanBandwidth));
  const double latency = platform.latency.value_or(kLanLatency) / 2;  // the way up, the way down
  Hosts hosts;
  s4u::NetZone* zone = s4u::create_star_zone("lan");
  for (std::size_t rank = 0; rank < peers; ++rank) {
    s4u::Host* host = zone->create_host(name_of(rank), 1.0)->seal();
    s4u::SplitDuplexLink* link = zone->create_split_duplex_link(name_of(rank), bandwidth);
    link->set_latency(latency)->seal();
    const s4u::LinkInRoute up(link, s4u::LinkInRoute::Direction::UP);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {up}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

Hosts build_wan(const Platform& platform, std::size_t peers, std::uint64_t seed) {
  set_model(kTcp);
  Hosts hosts;
  s4u::NetZone* zone = s4u::create_star_zone("wan");
  for (std::size_t rank = 0; rank < peers; ++rank) {
    const WanLink access = draw_wan_link(platform, seed, rank);
    s4u::Host* host = zone->create_host(name_of(rank), 1.0)->seal();
    const auto link = [&](const char* way, double bits) {
      s4u::Link* made = zone->create_link(name_of(rank) + way, bytes_per_second(bits));
      made->set_latency(access.latency / 2)->seal();
      return s4u::LinkInRoute(made);
    };
    auto* netpoint = host->get_netpoint();
    zone->add_route(netpoint, nullptr, nullptr, nullptr, {link("-up", access.up)}, false);
    zone->add_route(nullptr, netpoint, nullptr, nullptr, {link("-down", access.down)}, false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

Hosts build_torus(const Platform& platform) {
  set_model(kExact);
  Hosts hosts;
  const auto add_host =
      [&](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
        hosts.push_back(zone->create_host(name_of(id), 1.0)->seal());
        return std::pair(hosts.back()->get_netpoint(),
                         static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
      };
  // SimGrid's first axis is the fastest, ours the last.
  s4u::NetZone* zone =
      s4u::create_torus_zone("torus",
                             nullptr,
                             {platform.extents.rbegin(), platform.extents.rend()},
                             s4u::ClusterCallbacks(add_host),
                             bytes_per_second(platform.bandwidth.value_or(kTorusBandwidth)),
                             platform.latency.value_or(kTorusLatency),
                             s4u::Link::SharingPolicy::SPLITDUPLEX);
  zone->seal();
  return hosts;
}

[[noreturn]] void refuse(const Platform& platform, const std::string& finding) {
  throw ConfigError("platform '" + platform.file + "': " + finding);
}

/// SimGrid ends the process when it finds no route in mid-run, so look while there is time.
void check_routes(const Platform& platform, const Hosts& hosts) {
  const auto check = [&](const s4u::Host* from, const s4u::Host* to) {
    std::vector<s4u::Link*> links;
    double latency = 0.0;
    from->route_to(to, links, &latency);
    if (links.empty() && latency <= 0) {
      refuse(platform,
             "no route from host '" + std::string(from->get_cname()) + "' to '" + to->get_cname() +
                 "'");
    }
  };
  for (std::size_t rank = 1; rank < hosts.size(); ++rank) {
    check(hosts.front(), hosts[rank]);
    check(hosts[rank], hosts.front());
  }
}

Hosts load_file(const Platform& platform, std::size_t peers) {
  set_model(kSimgrid);
  try {
    s4u::Engine::get_instance()->load_platform(platform.file);
  } catch (const simgrid::Exception& cause) {
    refuse(platform, cause.what());
  } catch (const std::exception& cause) {
    refuse(platform, cause.what());
  }
  Hosts hosts = s4u::Engine::get_instance()->get_all_hosts();
  if (hosts.size() < peers) {
    refuse(platform,
           "expected at least " + std::to_string(peers) + " hosts, one a peer; found " +
               std::to_string(hosts.size()));
  }
  // SimGrid keeps no order. Shorter names first, so that host-2 comes before host-10.
  const auto order = [](const s4u::Host* host) {
    return std::tuple(host->get_name().size(), host->get_name());
  };
  std::sort(hosts.begin(), hosts.end(), [&](const auto* a, const auto* b) {
    return order(a) < order(b);
  });
  hosts.resize(peers);
  check_routes(platform, hosts);
  return hosts;
}

}  // namespace

Hosts build_hosts(const Platform& platform, std::size_t peers, std::uint64_t seed) {
  switch (platform.kind) {
    case Platform::Kind::lan:
      return build_lan(platform, peers);
    case Platform::Kind::wan:
      return build_wan(platform, peers, seed);
    case Platform::Kind::torus:
      return build_torus(platform);
    case Platform::Kind::file:
      return load_file(platform, peers);
  }
  return {};
}

}  // namespace starling::simulation
