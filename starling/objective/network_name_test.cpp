#include "starling/objective/network_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::objective {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal(const std::string& name) {
  try {
    parse_network_name(name);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NetworkName, IsTakenApart) {
  EXPECT_EQ(parse_network_name("linear").family, NetworkFamily::linear);
  EXPECT_THAT(parse_network_name("cnn").sizes, IsEmpty());
  const NetworkName deep = parse_network_name("mlp:512x256:dropout=0.2");
  EXPECT_EQ(deep.family, NetworkFamily::mlp);
  EXPECT_THAT(deep.sizes, ElementsAre(512U, 256U));
  EXPECT_EQ(deep.dropout, 0.2);
  EXPECT_EQ(parse_network_name("cnn:dropout=0.25").dropout, 0.25);
}

TEST(NetworkName, RefusesWhatNoNetworkIs) {
  EXPECT_THAT(refusal("mpl:64"), HasSubstr("did you mean 'mlp'?"));
  EXPECT_THAT(refusal("linear:3"), HasSubstr("takes no arguments"));
  EXPECT_THAT(refusal("mlp:0"), HasSubstr("1 to 65536, found '0'"));
  EXPECT_THAT(refusal("mlp:"), HasSubstr("found ''"));
  EXPECT_THAT(refusal("mlp:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"), HasSubstr("at most 16 sizes"));
  EXPECT_THAT(refusal("mlp:64:32"), HasSubstr("only dropout=RATE"));
  EXPECT_THAT(refusal("mlp:64:dropout=0.1:dropout=0.1"), HasSubstr("'dropout' is given twice"));
  EXPECT_THAT(refusal("cnn:dropout=0:dropout=0.2"), HasSubstr("'dropout' is given twice"));
  EXPECT_THAT(refusal("cnn:8:dropout=1"), HasSubstr("0 to below 1, found '1'"));
}

}  // namespace
}  // namespace starling::objective
