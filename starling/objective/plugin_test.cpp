#include "starling/objective/plugin.hpp"

#include <array>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "starling/core/error.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/idx_files.hpp"

namespace starling::objective {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Paths = std::vector<std::filesystem::path>;

const Paths kFixture = {STARLING_PLUGIN_FIXTURE};

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Plugin, MakesNetworksThatOutliveTheRequest) {
  MakeNetwork& make = open_network_plugin(kFixture);
  const std::unique_ptr<Objective> network =
      make_network(make, {.name = "bowl", .sample_shape = {}, .classes = 4});
  EXPECT_EQ(network->layout().elements(), 4U);
  std::vector<float> gradient(4);
  Random random(1);
  EXPECT_GT(network->gradient(std::vector<float>(4), {}, random, gradient), 0.0);
}

TEST(Plugin, ItsErrorsAreOurErrors) {
  MakeNetwork& make = open_network_plugin(kFixture);
  EXPECT_THAT(refusal([&] { make_network(make, {.name = "cube", .sample_shape = {}}); }),
              HasSubstr("model 'cube': not in this plug-in"));
}

TEST(Plugin, SaysWhatItComputesWith) {
  const NetworkBackend backend = network_backend(kFixture);
  EXPECT_STREQ(backend.description, "plain loops");
  EXPECT_EQ(backend.stack_bytes, 4096U);
}

TEST(Plugin, AnotherVersionIsRefused) {
  MakeNetwork& make = open_network_plugin(kFixture);
  const NetworkRequest request{.abi = kNetworkAbi + 1, .name = "bowl", .sample_shape = {}};
  EXPECT_THAT(refusal([&] { make_network(make, request); }), HasSubstr("of another version"));
}

TEST(Plugin, TheFirstThatExistsIsTaken) {
  const ScratchFolder folder;
  const Paths paths = {folder.path() / "absent.so", kFixture[0]};
  EXPECT_NO_THROW(open_network_plugin(paths));
}

TEST(Plugin, WhenThereIsNoneTheMessageSaysWhereAndWhatToDo) {
  const ScratchFolder folder;
  const Paths paths = {folder.path() / "a.so", folder.path() / "b.so"};
  EXPECT_THAT(refusal([&] { open_network_plugin(paths); }),
              AllOf(HasSubstr("built without libtorch"),
                    HasSubstr("a.so"),
                    HasSubstr("b.so"),
                    HasSubstr("STARLING_BUILD_TORCH")));
}

TEST(Plugin, AFileThatIsNoneIsRefusedWithTheReason) {
  const ScratchFolder folder;
  const Paths paths = {folder.write("broken.so", {'n', 'o'})};
  EXPECT_THAT(refusal([&] { open_network_plugin(paths); }),
              AllOf(HasSubstr("broken.so cannot be opened"), HasSubstr("file too short")));
}

/// Sets the variable for one test.
class PluginPath : public ::testing::Test {
 public:
  ~PluginPath() override { unsetenv("STARLING_PLUGIN_PATH"); }

 protected:
  static void set(const std::string& path) { setenv("STARLING_PLUGIN_PATH", path.c_str(), 1); }
};

TEST_F(PluginPath, MayBeAFileOrAFolderAndComesFirst) {
  set(kFixture[0].string());
  EXPECT_EQ(plugin_candidates().front(), kFixture[0]);
  const ScratchFolder folder;
  set(folder.path().string());
  EXPECT_EQ(plugin_candidates().front(), folder.path() / kNetworkPluginFile);
}

TEST_F(PluginPath, WithoutItThePluginIsLookedForBesideTheProgram) {
  unsetenv("STARLING_PLUGIN_PATH");
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const Paths candidates = plugin_candidates();
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_EQ(candidates[0], program.parent_path() / kNetworkPluginFile);
  EXPECT_THAT(candidates[2].string(), HasSubstr("/starling/"));
}

TEST_F(PluginPath, TheCatalogTakesNetworksFromIt) {
  set(kFixture[0].string());
  const DataPair pair = load_data({.name = "toy"});
  // The fixture knows no "cnn": its refusal shows that it was asked, and with which arguments.
  EXPECT_THAT(refusal([&] { make_objective({.name = "cnn:3"}, pair.train.get()); }),
              HasSubstr("model 'cnn:3': not in this plug-in"));
}

}  // namespace
}  // namespace starling::objective
