// What the networks compute with, and what they need.
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <pthread.h>

#include "starling/model/test_images.hpp"
#include "starling/objective/plugin.hpp"

namespace starling::model {
namespace {

TEST(Backend, DescribesItselfAndUsesOneThread) {
  const objective::NetworkBackend backend =
      objective::network_backend(objective::plugin_candidates());
  const std::regex form(R"(libtorch [0-9.]+ \([A-Z0-9]+\), oneDNN \S+, .*BLAS.*, threads 1 \+ 1)");
  EXPECT_TRUE(std::regex_match(backend.description, form)) << backend.description;
}

/// Everything a peer asks of a network, on whatever stack this is called.
void* use_network(void* data) {
  const TestImages& images = *static_cast<const TestImages*>(data);
  const auto samples = first_samples(images.size());
  const auto network = make_network("cnn:dropout=0.2", images);
  const std::vector<float> point = fresh_parameters(*network);
  std::vector<float> out(point.size());
  Random random(1);
  network->gradient(point, {&images, samples}, random, out);
  network->evaluate(point, {&images, samples});
  network->predict(point, {&images, samples}, std::span(out).first(samples.size() * 4));
  return nullptr;
}

TEST(Backend, StatedStackIsTwiceWhatIsUsed) {
  const TestImages images({.samples = 300, .shape = {1, 28, 28}});
  const std::size_t stated = objective::network_backend(objective::plugin_candidates()).stack_bytes;
  constexpr std::byte paint{0xA5};
  std::vector<std::byte> stack(std::size_t{1} << 20,
                               paint);  // above what is tested, to see overruns
  pthread_attr_t attributes{};
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack.data(), stack.size()), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, use_network, const_cast<TestImages*>(&images)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
  const auto untouched = std::ranges::find_if(stack, [&](std::byte b) { return b != paint; });
  EXPECT_LE(static_cast<std::size_t>(stack.end() - untouched) * 2, stated);
}

}  // namespace
}  // namespace starling::model
