// CTCLossV2 on GPUs gives what CTCLoss gives on the CPU, which has its blank behind the other
// classes instead of in front of them.
#include <algorithm>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

struct Case {
  int64_t frames, batch, classes;
  std::vector<int32_t> lengths;              // in frames
  std::vector<std::vector<int32_t>> labels;  // classes from 1 on
};

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      {1, 1, 2, {1}, {{1}}},
      {2, 1, 3, {2}, {{1}}},
      // Without a frame for the blank between them, repeated labels are impossible.
      {3, 2, 4, {3, 3}, {{2, 2}, {2, 2, 2}}},
      // A sequence without frames, one that is too long, and classes that come back.
      {9, 4, 5, {9, 0, 1, 7}, {{1, 2, 1, 2, 1}, {3}, {1, 2, 3}, {4, 4, 4}}},
      {5, 1, 700, {5}, {{699, 1, 699}}},
  };
  // More symbols than a block has threads.
  Case large = {420, 3, 40, {420, 400, 320}, {}};
  for (int b = 0; b < 3; ++b) {
    std::vector<int32_t> labels;
    for (int i = 0; i < 160 - 30 * b; ++i) labels.push_back(1 + (i * 7 + b + i / 9) % 39);
    large.labels.push_back(labels);
  }
  cases.push_back(large);
  return cases;
}

// The first class behind the others, or the last one before them.
Tensor WithClassesTurned(const Tensor& x, bool first_becomes_last) {
  const int64_t classes = x.dim(2);
  std::vector<float> turned(static_cast<size_t>(x.num_elements()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t row = i / classes * classes, k = i - row;
    const int64_t to = (k + (first_becomes_last ? classes - 1 : 1)) % classes;
    turned[static_cast<size_t>(row + to)] = x.data<float>()[i];
  }
  return Tensor::FromValues<float>(x.shape(), turned);
}

struct Options {
  bool collapse, merge, ignore_long;
};

// `less` is taken from each label.
template <class Runner>
Runner& Give(Runner&& runner, const Case& c, const Tensor& logits, const Options& options,
             int32_t less) {
  std::vector<int64_t> places;
  std::vector<int32_t> labels;
  for (size_t b = 0; b < c.labels.size(); ++b) {
    for (size_t i = 0; i < c.labels[b].size(); ++i) {
      places.push_back(static_cast<int64_t>(b));
      places.push_back(static_cast<int64_t>(i));
      labels.push_back(c.labels[b][i] - less);
    }
  }
  const auto count = static_cast<int64_t>(labels.size());
  return runner.Attr("preprocess_collapse_repeated", options.collapse)
      .Attr("ctc_merge_repeated", options.merge)
      .Attr("ignore_longer_outputs_than_inputs", options.ignore_long)
      .Input(logits)
      .Input(Tensor::FromValues<int64_t>(Shape({count, 2}), places))
      .Input(Tensor::FromValues<int32_t>(Shape({count}), labels))
      .Input(Tensor::FromValues<int32_t>(Shape({c.batch}), c.lengths));
}

TEST(CtcLossV2OnGpu, AsCtcLossOnTheCpu) {
  Tolerance tolerance;
  tolerance.relative = tolerance.absolute = 2e-5;
  for (const Case& c : Cases()) {
    for (const Options& options :
         {Options{false, false, true}, Options{true, false, true}, Options{false, true, true}}) {
      SCOPED_TRACE(testing::Message() << c.frames << " frames, " << c.classes << " classes, "
                                      << options.collapse << options.merge);
      const Tensor x = TestNumbers(Shape({c.frames, c.batch, c.classes}), DType::kFloat, 3);
      const auto expected =
          Give(OpRunner("CTCLoss"), c, WithClassesTurned(x, true), options, 1).Run();
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const GpuMode mode : GpuModes()) {
        const auto got = Give(GpuOpRunner("CTCLossV2", mode), c, x, options, 0).RunAll();
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(CompareTensors((*got)[0], (*expected)[0], tolerance), OkStatus());
        EXPECT_EQ(CompareTensors((*got)[1], WithClassesTurned((*expected)[1], false), tolerance),
                  OkStatus());
      }
    }
  }
}

TEST(CtcLossV2OnGpu, RefusesWhatTheCpuRefuses) {
  const Case too_long = {2, 1, 4, {2}, {{1, 2, 3}}}, no_class = {2, 1, 4, {2}, {{4}}},
             no_frame = {2, 1, 4, {3}, {{1}}}, unlabelled = {2, 2, 4, {2, 2}, {{1}}};
  for (const Case& c : {too_long, no_class, no_frame, unlabelled}) {
    const Tensor x = TestNumbers(Shape({c.frames, c.batch, c.classes}), DType::kFloat, 1);
    for (const GpuMode mode : GpuModes()) {
      const auto got = Give(GpuOpRunner("CTCLossV2", mode), c, x, {false, true, false}, 0).RunAll();
      EXPECT_EQ(got.status().code(), StatusCode::kInvalidArgument) << got.status();
    }
  }
}

}  // namespace
}  // namespace warpbeam
