// cuDNN has plans for every convolution of the seeds' models, of ResNet-50 with its strides in
// either place, and of Inception-v3, on described GPUs of three generations.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/nn/conv/cudnn_plan.h"
#include "ops/nn/conv/described_gpus_testing.h"

namespace warpbeam {
namespace {

// A convolution that a model has, once: the image, the window, the channels of the result, the
// stride, and the paddings above, below, left and right.
struct Layer {
  const char* model;
  int64_t height, width, channels, window_height, window_width, results, stride;
  int64_t above, below, left, right;

  ConvGeometry geometry(int64_t batch) const {
    ConvGeometry g;
    g.batch = batch;
    g.in_channels = channels;
    g.out_channels = results;
    g.groups = 1;
    const auto axis = [&](int i, int64_t size, int64_t window, int64_t before, int64_t after) {
      g.input[i] = size;
      g.filter[i] = window;
      g.stride[i] = stride;
      g.before[i] = before;
      g.after[i] = after;
      g.output[i] = (size + before + after - window) / stride + 1;
    };
    axis(1, height, window_height, above, below);
    axis(2, width, window_width, left, right);
    return g;
  }
};

constexpr Layer kLayers[] = {
    {"LeNet5", 28, 28, 3, 5, 5, 32, 1, 2, 2, 2, 2},
    {"LeNet5", 14, 14, 32, 5, 5, 64, 1, 2, 2, 2, 2},
    {"CIFAR-10", 24, 24, 3, 5, 5, 64, 1, 2, 2, 2, 2},
    {"CIFAR-10", 12, 12, 64, 5, 5, 64, 1, 2, 2, 2, 2},
    {"ResNet-50", 230, 230, 3, 7, 7, 64, 2, 0, 0, 0, 0},
    {"ResNet-50", 56, 56, 64, 1, 1, 64, 1, 0, 0, 0, 0},
    {"ResNet-50", 56, 56, 64, 3, 3, 64, 1, 1, 1, 1, 1},
    {"ResNet-50", 56, 56, 64, 1, 1, 256, 1, 0, 0, 0, 0},
    {"ResNet-50", 56, 56, 256, 1, 1, 64, 1, 0, 0, 0, 0},
    {"ResNet-50", 56, 56, 256, 1, 1, 128, 2, 0, 0, 0, 0},
    {"ResNet-50", 28, 28, 128, 3, 3, 128, 1, 1, 1, 1, 1},
    {"ResNet-50", 56, 56, 256, 1, 1, 512, 2, 0, 0, 0, 0},
    {"ResNet-50", 28, 28, 128, 1, 1, 512, 1, 0, 0, 0, 0},
    {"ResNet-50", 28, 28, 512, 1, 1, 128, 1, 0, 0, 0, 0},
    {"ResNet-50", 28, 28, 512, 1, 1, 256, 2, 0, 0, 0, 0},
    {"ResNet-50", 14, 14, 256, 3, 3, 256, 1, 1, 1, 1, 1},
    {"ResNet-50", 28, 28, 512, 1, 1, 1024, 2, 0, 0, 0, 0},
    {"ResNet-50", 14, 14, 256, 1, 1, 1024, 1, 0, 0, 0, 0},
    {"ResNet-50", 14, 14, 1024, 1, 1, 256, 1, 0, 0, 0, 0},
    {"ResNet-50", 14, 14, 1024, 1, 1, 512, 2, 0, 0, 0, 0},
    {"ResNet-50", 7, 7, 512, 3, 3, 512, 1, 1, 1, 1, 1},
    {"ResNet-50", 14, 14, 1024, 1, 1, 2048, 2, 0, 0, 0, 0},
    {"ResNet-50", 7, 7, 512, 1, 1, 2048, 1, 0, 0, 0, 0},
    {"ResNet-50", 7, 7, 2048, 1, 1, 512, 1, 0, 0, 0, 0},
    {"ResNet-50", 224, 224, 3, 7, 7, 64, 2, 2, 3, 2, 3},
    {"ResNet-50", 56, 56, 128, 3, 3, 128, 2, 0, 1, 0, 1},
    {"ResNet-50", 28, 28, 256, 3, 3, 256, 2, 0, 1, 0, 1},
    {"ResNet-50", 14, 14, 512, 3, 3, 512, 2, 0, 1, 0, 1},
    {"Inception-v3", 299, 299, 3, 3, 3, 32, 2, 0, 0, 0, 0},
    {"Inception-v3", 149, 149, 32, 3, 3, 32, 1, 0, 0, 0, 0},
    {"Inception-v3", 147, 147, 32, 3, 3, 64, 1, 1, 1, 1, 1},
    {"Inception-v3", 73, 73, 64, 1, 1, 80, 1, 0, 0, 0, 0},
    {"Inception-v3", 73, 73, 80, 3, 3, 192, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 192, 1, 1, 64, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 192, 1, 1, 48, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 64, 3, 3, 96, 1, 1, 1, 1, 1},
    {"Inception-v3", 35, 35, 48, 5, 5, 64, 1, 2, 2, 2, 2},
    {"Inception-v3", 35, 35, 96, 3, 3, 96, 1, 1, 1, 1, 1},
    {"Inception-v3", 35, 35, 192, 1, 1, 32, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 256, 1, 1, 64, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 256, 1, 1, 48, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 288, 1, 1, 64, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 288, 1, 1, 48, 1, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 288, 3, 3, 384, 2, 0, 0, 0, 0},
    {"Inception-v3", 35, 35, 96, 3, 3, 96, 2, 0, 0, 0, 0},
    {"Inception-v3", 17, 17, 768, 1, 1, 128, 1, 0, 0, 0, 0},
    {"Inception-v3", 17, 17, 128, 7, 1, 128, 1, 3, 3, 0, 0},
    {"Inception-v3", 17, 17, 128, 1, 7, 128, 1, 0, 0, 3, 3},
    {"Inception-v3", 17, 17, 768, 1, 1, 192, 1, 0, 0, 0, 0},
    {"Inception-v3", 17, 17, 128, 7, 1, 192, 1, 3, 3, 0, 0},
    {"Inception-v3", 17, 17, 128, 1, 7, 192, 1, 0, 0, 3, 3},
    {"Inception-v3", 17, 17, 768, 1, 1, 160, 1, 0, 0, 0, 0},
    {"Inception-v3", 17, 17, 160, 7, 1, 160, 1, 3, 3, 0, 0},
    {"Inception-v3", 17, 17, 160, 1, 7, 160, 1, 0, 0, 3, 3},
    {"Inception-v3", 17, 17, 160, 7, 1, 192, 1, 3, 3, 0, 0},
    {"Inception-v3", 17, 17, 160, 1, 7, 192, 1, 0, 0, 3, 3},
    {"Inception-v3", 17, 17, 192, 7, 1, 192, 1, 3, 3, 0, 0},
    {"Inception-v3", 17, 17, 192, 1, 7, 192, 1, 0, 0, 3, 3},
    {"Inception-v3", 17, 17, 192, 3, 3, 320, 2, 0, 0, 0, 0},
    {"Inception-v3", 17, 17, 192, 3, 3, 192, 2, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 1280, 1, 1, 448, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 1280, 1, 1, 384, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 448, 3, 3, 384, 1, 1, 1, 1, 1},
    {"Inception-v3", 8, 8, 384, 1, 3, 384, 1, 0, 0, 1, 1},
    {"Inception-v3", 8, 8, 384, 3, 1, 384, 1, 1, 1, 0, 0},
    {"Inception-v3", 8, 8, 1280, 1, 1, 320, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 1280, 1, 1, 192, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 2048, 1, 1, 448, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 2048, 1, 1, 384, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 2048, 1, 1, 320, 1, 0, 0, 0, 0},
    {"Inception-v3", 8, 8, 2048, 1, 1, 192, 1, 0, 0, 0, 0},
};

class ModelPlans : public ::testing::TestWithParam<Layer> {};

TEST_P(ModelPlans, AreThere) {
  const Layer& layer = GetParam();
  const int64_t batch = std::string(layer.model) == "ResNet-50" ? 256 : 128;
  for (const CudnnGpu* gpu : {&A100(), &H100(), &B200()}) {
    for (const ConvPass pass :
         {ConvPass::kForward, ConvPass::kBackwardInput, ConvPass::kBackwardFilter}) {
      for (const DType dtype : {DType::kFloat, DType::kHalf}) {
        for (const bool tensor_float_32 : {false, true}) {
          if (tensor_float_32 && dtype != DType::kFloat) continue;
          for (const bool channels_first : {false, true}) {
            // One kind of GPU shows that the order of data makes no difference.
            if (channels_first && gpu != &H100()) continue;
            GpuConvolution c;
            c.pass = pass;
            c.dtype = dtype;
            c.geometry = layer.geometry(batch);
            c.channels_first = channels_first;
            c.tensor_float_32 = tensor_float_32;
            const auto plan = CudnnPlan::Make(*gpu, c, 16);
            ASSERT_TRUE(plan.ok()) << plan.status();
            EXPECT_LE((*plan)->workspace_bytes(), int64_t{1} << 30);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, ModelPlans, ::testing::ValuesIn(kLayers), [](const auto& info) {
  const Layer& l = info.param;
  std::string model = l.model;
  model.erase(std::remove(model.begin(), model.end(), '-'), model.end());
  return absl::StrCat(model, "_", l.height, "x", l.channels, "_", l.window_height, "x",
                      l.window_width, "_", l.results, "_by_", l.stride, "_", l.above);
});

}  // namespace
}  // namespace warpbeam
