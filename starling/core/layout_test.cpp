#include "starling/core/layout.hpp"

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

Layout two_tensors(std::size_t columns = 3, ElementType type = ElementType::f32) {
  Layout layout;
  layout.append("fc.weight", {2, columns}, type);
  layout.append("fc.bias", {2});
  return layout;
}

TEST(Layout, TensorsFollowOneAnother) {
  Layout layout = two_tensors();
  layout.append("scale", {});
  ASSERT_EQ(layout.tensors().size(), 3U);
  EXPECT_EQ(layout.elements(), 9U);
  EXPECT_EQ(layout.tensors()[1].range(), (Range{6, 8}));
  EXPECT_EQ(layout.tensors()[2].range(), (Range{8, 9})) << "a scalar is one element";
}

TEST(Layout, FindsTheTensorOfAnElement) {
  Layout layout;
  layout.append("a", {2});
  layout.append("empty", {0, 4});
  layout.append("b", {1});
  EXPECT_EQ(layout.tensor_of(0), "a");
  EXPECT_EQ(layout.tensor_of(1), "a");
  EXPECT_EQ(layout.tensor_of(2), "b") << "an empty tensor holds nothing";
  EXPECT_THROW((void)layout.tensor_of(3), ContractError);
}

TEST(Layout, RefusesNamesThatAreTakenOrEmpty) {
  Layout layout = two_tensors();
  EXPECT_THROW(layout.append("fc.bias", {5}), ContractError);
  EXPECT_THROW(layout.append("", {5}), ContractError);
  EXPECT_EQ(layout, two_tensors()) << "a refusal changes nothing";
}

TEST(Layout, ShowsTheFirstDifference) {
  EXPECT_EQ(first_difference(two_tensors(), two_tensors()), std::nullopt);
  EXPECT_EQ(first_difference(two_tensors(200), two_tensors(100)),
            "tensor 0 is fc.weight 2x200 f32 here, fc.weight 2x100 f32 there");
  EXPECT_EQ(first_difference(two_tensors(), two_tensors(3, ElementType::f16)),
            "tensor 0 is fc.weight 2x3 f32 here, fc.weight 2x3 f16 there");
  Layout renamed;
  renamed.append("fc.weight", {2, 3});
  renamed.append("fc.offset", {2});
  EXPECT_EQ(first_difference(two_tensors(), renamed),
            "tensor 1 is fc.bias 2 f32 here, fc.offset 2 f32 there");
  Layout longer = two_tensors();
  longer.append("more", {1});
  EXPECT_EQ(first_difference(two_tensors(), longer), "2 tensors here, 3 there");
}

}  // namespace

}  // namespace starling
