#include "starling/objective/fashion_mnist.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/objective/idx_files.hpp"

namespace starling::objective {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FashionMnist : public ::testing::Test {
 protected:
  /// Four small files that fit each other: 3 training and 2 test images of 2 x 2.
  FashionMnist() {
    write("train-images-idx3-ubyte", idx_bytes({3, 2, 2}, {0, 255, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
    write("train-labels-idx1-ubyte", idx_bytes({3}, {9, 0, 4}));
    write("t10k-images-idx3-ubyte.gz", gzip(idx_bytes({2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2})));
    write("t10k-labels-idx1-ubyte.gz", gzip(idx_bytes({2}, {1, 2})));
  }

  void write(const std::string& name, const Bytes& content) const {
    static_cast<void>(folder_.write(name, content));
  }

  [[nodiscard]] std::string refusal() const {
    try {
      load_fashion_mnist(folder_.path());
    } catch (const DataError& error) {
      return error.what();
    }
    return "accepted";
  }

  ScratchFolder folder_;
};

TEST_F(FashionMnist, ReadsAFolderOfPlainAndPackedFiles) {
  const DataPair pair = load_fashion_mnist(folder_.path());
  EXPECT_EQ(pair.train->size(), 3U);
  EXPECT_EQ(pair.test->size(), 2U);
  EXPECT_THAT(pair.train->sample_shape(), ElementsAre(1, 2, 2));
  EXPECT_EQ(pair.train->classes(), 10U);
  EXPECT_EQ(pair.train->label(0), 9U);
}

TEST_F(FashionMnist, GatherNormalisesInTheOrderAskedFor) {
  const DataPair pair = load_fashion_mnist(folder_.path());
  std::vector<float> out(8);
  pair.train->gather(std::vector<std::uint32_t>{2, 0}, out);
  const auto normal = [](double byte) {
    return static_cast<float>((byte / 255.0 - 0.2860) / 0.3530);
  };
  EXPECT_THAT(out,
              ElementsAre(normal(5),
                          normal(6),
                          normal(7),
                          normal(8),
                          normal(0),
                          normal(255),
                          normal(0),
                          normal(0)));
}

TEST_F(FashionMnist, GatherRefusesWhatIsNotThere) {
  const DataPair pair = load_fashion_mnist(folder_.path());
  std::vector<float> out(4);
  EXPECT_THROW(pair.train->gather(std::vector<std::uint32_t>{3}, out), ContractError);
  EXPECT_THROW(pair.train->gather(std::vector<std::uint32_t>{0, 1}, out), ContractError);
}

TEST_F(FashionMnist, ImagesAndLabelsMustBeAsMany) {
  write("train-labels-idx1-ubyte", idx_bytes({2}, {9, 0}));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("holds 3 images"), HasSubstr(" 2 labels")));
}

TEST_F(FashionMnist, LabelsOutOfRangeAreNamedWithTheirSample) {
  write("t10k-labels-idx1-ubyte.gz", gzip(idx_bytes({2}, {1, 10})));
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("t10k-labels-idx1-ubyte.gz: label 10 of sample 1"),
                    HasSubstr("expected 0 to 9")));
}

TEST_F(FashionMnist, TrainingAndTestImagesHaveOneSize) {
  write("t10k-images-idx3-ubyte.gz", gzip(idx_bytes({2, 1, 4}, {1, 1, 1, 1, 2, 2, 2, 2})));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("1x2x2"), HasSubstr("1x1x4")));
}

TEST_F(FashionMnist, NoImagesAreRefused) {
  write("t10k-images-idx3-ubyte.gz", idx_bytes({0, 2, 2}, {}));
  write("t10k-labels-idx1-ubyte.gz", idx_bytes({0}, {}));
  EXPECT_THAT(refusal(), HasSubstr("no images"));
}

// Nothing of the broken file is kept: the same call works once the file is whole.
TEST_F(FashionMnist, ATruncatedFileIsRefusedAndReplacingItIsEnough) {
  const Bytes whole = gzip(idx_bytes({2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2}));
  Bytes cut = whole;
  cut.resize(whole.size() * 6 / 10);
  write("t10k-images-idx3-ubyte.gz", cut);
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("t10k-images-idx3-ubyte.gz"), HasSubstr("truncated gzip")));
  write("t10k-images-idx3-ubyte.gz", whole);
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(FashionMnist, AMissingFileIsNamedInBothItsForms) {
  std::filesystem::remove(folder_.path() / "train-labels-idx1-ubyte");
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("train-labels-idx1-ubyte nor"),
                    HasSubstr("ubyte.gz exists"),
                    HasSubstr("--data-dir")));
}

// On machines that have the data: its published sizes, and the mean and deviation used to
// normalise.
TEST(FashionMnistPackage, HasThePublishedSizesAndIsNormalised) {
  if (!std::filesystem::exists(kFashionMnistFolder)) {
    GTEST_SKIP() << "package dataset-fashion-mnist is not installed";
  }
  const DataPair pair = load_fashion_mnist({});
  EXPECT_EQ(pair.train->size(), 60'000U);
  EXPECT_EQ(pair.test->size(), 10'000U);
  EXPECT_THAT(pair.train->sample_shape(), ElementsAre(1, 28, 28));
  std::vector<std::size_t> by_class(10);
  for (std::size_t k = 0; k < pair.train->size(); ++k) {
    ++by_class[pair.train->label(k)];
  }
  EXPECT_THAT(by_class, ::testing::Each(6000));
  std::vector<std::uint32_t> samples(6000);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    samples[k] = static_cast<std::uint32_t>(10 * k);
  }
  std::vector<float> values(samples.size() * 784);
  pair.train->gather(samples, values);
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : values) {
    sum += value;
    squares += double{value} * double{value};
  }
  const auto count = static_cast<double>(values.size());
  // 6000 images; their brightness has a deviation of about 0.5 here: 4 * 0.5 / sqrt(6000) = 0.026.
  EXPECT_NEAR(sum / count, 0.0, 0.026);
  EXPECT_NEAR(squares / count, 1.0, 0.03);
}

}  // namespace
}  // namespace starling::objective
