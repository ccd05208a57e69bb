// NonMaxSuppression on GPUs takes the boxes that it takes on the CPU.
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

// Boxes that overlap by much and by little, with corners in any order.
Tensor Boxes(int64_t count) {
  std::vector<float> boxes;
  for (int64_t i = 0; i < count; ++i) {
    const float y = static_cast<float>(i * 7 % 13), x = static_cast<float>(i * 5 % 11);
    const float size = 2.0f + static_cast<float>(i % 3);
    const bool turned = i % 4 == 3;
    for (const float v : {turned ? y + size : y, x, turned ? y : y + size, x + size}) {
      boxes.push_back(v);
    }
  }
  return Tensor::FromValues<float>(Shape({count, 4}), boxes);
}
// Some are equal, some negative.
Tensor Scores(int64_t count) {
  std::vector<float> scores;
  for (int64_t i = 0; i < count; ++i) scores.push_back(static_cast<float>(i * 31 % 17) / 8 - 0.5f);
  return Tensor::Vector<float>(scores);
}
OpCall Nms(const char* op, const Tensor& boxes, const Tensor& scores, int32_t most, float overlap) {
  return {op, {}, {{boxes}, {scores}, {Tensor::Scalar(most)}, {Tensor::Scalar(overlap)}}};
}
void ExpectAsOnCpu(const OpCall& call) {
  EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << call.op;
}

TEST(NonMaxSuppressionOnGpu, TakesWhatTheCpuTakes) {
  for (const int64_t n : {0, 1, 7, 60, 2100}) {
    for (const int32_t most : {0, 3, 1000}) {
      for (const float overlap : {0.0f, 0.3f, 0.5f, 1.0f}) {
        const Tensor boxes = Boxes(n), scores = Scores(n);
        ExpectAsOnCpu(Nms("NonMaxSuppressionV2", boxes, scores, most, overlap));
        for (const float least : {0.25f, -std::numeric_limits<float>::infinity(), 10.0f}) {
          OpCall call = Nms("NonMaxSuppressionV3", boxes, scores, most, overlap);
          call.arguments.push_back({Tensor::Scalar(least)});
          ExpectAsOnCpu(call);
          call.op = "NonMaxSuppressionV4";
          for (const bool padded : {false, true}) {
            call.attrs = {{"pad_to_max_output_size", padded}};
            ExpectAsOnCpu(call);
          }
        }
      }
    }
  }
}

TEST(NonMaxSuppressionOnGpu, BoxesWithoutAreaAndScoresThatAreNoNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor boxes =
      Tensor::FromValues<float>(Shape({5, 4}), {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1,  //
                                                0, 0, 1, 1, 5, 5, 6, 6});
  const Tensor scores = Tensor::Vector<float>(
      {-0.0f, 0.0f, std::numeric_limits<float>::quiet_NaN(), infinity, -infinity});
  ExpectAsOnCpu(Nms("NonMaxSuppressionV2", boxes, scores, 5, 0.5f));
}

TEST(NonMaxSuppressionOnGpu, RefusesWhatTheCpuRefuses) {
  ExpectAsOnCpu(Nms("NonMaxSuppressionV2", Boxes(2), Scores(3), 5, 0.5f));
  ExpectAsOnCpu(Nms("NonMaxSuppressionV2", Boxes(2), Scores(2), -1, 0.5f));
  ExpectAsOnCpu(Nms("NonMaxSuppressionV2", Boxes(2), Scores(2), 5, 1.5f));
}

}  // namespace
}  // namespace warpbeam
