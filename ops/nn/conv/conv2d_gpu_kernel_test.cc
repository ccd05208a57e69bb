// Conv2D and its gradients on simulated GPUs give what they give on the CPU, with channels last and
// first, and where the CPU has one of the formats only.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/conv/gpu_convolutions.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr DType kTypes[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

// Data has its channels last, whatever the format that it is given in.
struct Problem {
  Shape data, filter;
  std::vector<int64_t> strides = {1, 1}, dilations = {1, 1};
  std::string padding = "SAME";
  std::vector<int64_t> paddings = {};  // before and after, in height and in width

  bool is_grouped() const { return data.dim(3) != filter.dim(2); }
};

std::vector<int64_t> PerDimension(const std::vector<int64_t>& spatial, bool channels_first) {
  const int64_t h = spatial[0], w = spatial[1];
  return channels_first ? std::vector<int64_t>{1, 1, h, w} : std::vector<int64_t>{1, h, w, 1};
}

template <class Runner>
Runner& Configure(Runner& runner, const Problem& p, bool channels_first) {
  runner.Attr("strides", PerDimension(p.strides, channels_first));
  runner.Attr("dilations", PerDimension(p.dilations, channels_first));
  runner.Attr("padding", p.padding);
  if (!p.paddings.empty()) {
    std::vector<int64_t> all(8);
    std::copy(p.paddings.begin(), p.paddings.end(), all.begin() + (channels_first ? 4 : 2));
    runner.Attr("explicit_paddings", all);
  }
  return runner.Attr("data_format", std::string(channels_first ? "NCHW" : "NHWC"));
}

StatusOr<Tensor> Moved(const Tensor& x, std::vector<int32_t> order) {
  return OpRunner("Transpose").Input(x).Input(Tensor::Vector<int32_t>(std::move(order))).RunOne();
}
Tensor InFormat(const Tensor& x, bool channels_first) {
  if (!channels_first) return x;
  auto moved = Moved(x, {0, 3, 1, 2});
  EXPECT_TRUE(moved.ok()) << moved.status();
  return moved.ok() ? *moved : Tensor();
}

Tensor Sizes(const Shape& shape) {
  return Tensor::Vector<int32_t>(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

// Small whole numbers: sums are exact in every type.
Tensor Pattern(const Shape& shape, DType dtype, int seed) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>((i * 7 + static_cast<size_t>(seed)) % 5) - 2;
  }
  const Tensor x = Tensor::FromValues<double>(shape, values);
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

// One of the three ops with its inputs. Data has its channels last.
struct Call {
  std::string op;
  Problem problem;
  std::vector<Tensor> inputs;
  std::vector<bool> is_data;  // of the inputs: data, or sizes of data
  bool gives_data = true;

  template <class Runner>
  Runner& Prepare(Runner& runner, bool channels_first) const {
    Configure(runner, problem, channels_first);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& x = inputs[i];
      const bool is_sizes = x.rank() == 1 && x.num_elements() == 4;
      if (is_sizes && is_data[i] && channels_first) {
        const int32_t* s = x.data<int32_t>();
        runner.Input(Tensor::Vector<int32_t>({s[0], s[3], s[1], s[2]}));
      } else {
        runner.Input(is_sizes || !is_data[i] ? x : InFormat(x, channels_first));
      }
    }
    return runner;
  }
  StatusOr<Tensor> ChannelsLast(StatusOr<Tensor> result, bool channels_first) const {
    if (!result.ok() || !channels_first || !gives_data) return result;
    return Moved(*result, {0, 2, 3, 1});
  }
  StatusOr<Tensor> OnCpu(bool channels_first) const {
    OpRunner runner(op);
    return ChannelsLast(Prepare(runner, channels_first).RunOne(), channels_first);
  }
  StatusOr<Tensor> OnGpu(bool channels_first, GpuMode mode) const {
    GpuOpRunner runner(op, mode);
    return ChannelsLast(Prepare(runner, channels_first).Run(), channels_first);
  }
};

Call Forward(const Problem& p, DType dtype) {
  return {"Conv2D", p, {Pattern(p.data, dtype, 1), Pattern(p.filter, dtype, 2)}, {true, false}};
}
Call ToInput(const Problem& p, DType dtype, const Shape& result) {
  return {"Conv2DBackpropInput",
          p,
          {Sizes(p.data), Pattern(p.filter, dtype, 2), Pattern(result, dtype, 3)},
          {true, false, true}};
}
Call ToFilter(const Problem& p, DType dtype, const Shape& result) {
  return {"Conv2DBackpropFilter",
          p,
          {Pattern(p.data, dtype, 1), Sizes(p.filter), Pattern(result, dtype, 3)},
          {true, false, true},
          false};
}

// `cpu_first` is the format that the CPU is asked in.
void ExpectAsOnCpu(const Call& call, bool cpu_first) {
  const auto want = call.OnCpu(cpu_first);
  ASSERT_TRUE(want.ok()) << call.op << want.status();
  for (const bool channels_first : {false, true}) {
    for (const GpuMode mode : GpuModes()) {
      // No graph has on a real GPU what there is no code for.
      if (mode == GpuMode::kReal && !HasGpuConvolutions(want->dtype())) continue;
      const auto got = call.OnGpu(channels_first, mode);
      ASSERT_TRUE(got.ok()) << call.op << got.status();
      const Status same = CompareTensors(*got, *want, {});
      EXPECT_TRUE(same.ok()) << call.op << same << DTypeName(want->dtype()) << channels_first
                             << call.problem.data.ToString() << call.problem.filter.ToString();
    }
  }
}

void ExpectAllAsOnCpu(const Problem& p, DType dtype) {
  const Call forward = Forward(p, dtype);
  ExpectAsOnCpu(forward, false);
  const auto result = forward.OnCpu(false);
  ASSERT_TRUE(result.ok()) << result.status();
  // The CPU has gradients of groups with channels first only.
  ExpectAsOnCpu(ToInput(p, dtype, result->shape()), p.is_grouped());
  ExpectAsOnCpu(ToFilter(p, dtype, result->shape()), p.is_grouped());
}

// With windows beyond the image, strides beyond windows, paddings that differ on the two sides, and
// what the CPU computes as products, as patches and by its library.
TEST(Conv2DOnGpu, TypesAndWindows) {
  const Problem problems[] = {
      {Shape({2, 5, 6, 3}), Shape({3, 2, 3, 4})},
      {Shape({2, 7, 8, 5}), Shape({3, 3, 5, 4}), {2, 3}, {1, 1}, "VALID"},
      {Shape({1, 6, 6, 4}), Shape({2, 2, 4, 3}), {2, 2}},
      {Shape({1, 9, 8, 2}), Shape({3, 3, 2, 3}), {1, 1}, {2, 3}},
      {Shape({1, 11, 9, 2}), Shape({3, 2, 2, 3}), {2, 1}, {3, 2}, "VALID"},
      {Shape({2, 4, 4, 3}), Shape({1, 1, 3, 2}), {3, 3}},
      {Shape({2, 4, 5, 6}), Shape({1, 1, 6, 7})},
      {Shape({1, 3, 2, 3}), Shape({5, 7, 3, 4})},
      {Shape({3, 14, 13, 32}), Shape({3, 3, 32, 17})},
      {Shape({2, 5, 4, 3}), Shape({2, 3, 3, 4}), {1, 2}, {1, 1}, "EXPLICIT", {0, 2, 3, 1}},
  };
  for (const Problem& p : problems) {
    for (const DType dtype : kTypes) ExpectAllAsOnCpu(p, dtype);
  }
}

TEST(Conv2DOnGpu, Groups) {
  const Problem problems[] = {
      {Shape({2, 6, 5, 6}), Shape({3, 3, 3, 8})},
      {Shape({2, 9, 8, 4}), Shape({2, 3, 1, 4}), {2, 1}, {1, 2}},
      {Shape({1, 7, 7, 8}), Shape({3, 3, 2, 4}), {1, 1}, {1, 1}, "VALID"},
  };
  for (const Problem& p : problems) {
    for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat}) {
      ExpectAllAsOnCpu(p, dtype);
    }
  }
}

TEST(Conv2DOnGpu, EmptyTensors) {
  const Problem problems[] = {
      {Shape({0, 4, 5, 3}), Shape({2, 2, 3, 4})},
      {Shape({2, 4, 5, 3}), Shape({2, 2, 3, 0})},
      {Shape({2, 0, 5, 3}), Shape({2, 2, 3, 4})},
      {Shape({0, 4, 5, 6}), Shape({2, 2, 3, 4})},
  };
  for (const Problem& p : problems) {
    for (const DType dtype : {DType::kHalf, DType::kFloat}) ExpectAllAsOnCpu(p, dtype);
  }
}

TEST(Conv2DOnGpu, WholeNumbers) {
  const Problem p = {Shape({2, 5, 6, 3}), Shape({3, 2, 3, 4}), {2, 1}};
  ExpectAsOnCpu(Forward(p, DType::kInt32), false);
  ExpectAsOnCpu(ToInput(p, DType::kInt32, Shape({2, 3, 6, 4})), false);
  const Problem padded = {Shape({2, 5, 4, 3}), Shape({2, 3, 3, 4}), {1, 2}, {1, 1},
                          "EXPLICIT",          {0, 2, 3, 1}};
  ExpectAsOnCpu(Forward(padded, DType::kInt32), false);
  const Problem grouped = {Shape({2, 6, 5, 6}), Shape({3, 3, 3, 8}), {1, 1}, {1, 1}, "VALID"};
  ExpectAsOnCpu(Forward(grouped, DType::kInt32), false);
}

TEST(Conv2DOnGpu, SizesOfTheImageAlone) {
  Call call =
      ToInput({Shape({2, 5, 6, 3}), Shape({3, 2, 3, 4})}, DType::kFloat, Shape({2, 5, 6, 4}));
  call.inputs[0] = Tensor::Vector<int32_t>({5, 6});
  const auto want = call.OnCpu(false);
  ASSERT_TRUE(want.ok()) << want.status();
  for (const GpuMode mode : GpuModes()) {
    const auto got = call.OnGpu(false, mode);
    ASSERT_TRUE(got.ok()) << got.status();
    const Status same = CompareTensors(*got, *want, {});
    EXPECT_TRUE(same.ok()) << same;
  }
}

TEST(Conv2DOnGpu, RefusesWhatDoesNotFit) {
  const Problem p = {Shape({1, 3, 3, 4}), Shape({2, 2, 4, 5})};
  Call channels = Forward(p, DType::kFloat), window = channels, steps = channels;
  channels.inputs[1] = Pattern(Shape({2, 2, 3, 5}), DType::kFloat, 2);
  window.problem.padding = "VALID";
  window.inputs[1] = Pattern(Shape({5, 2, 4, 5}), DType::kFloat, 2);
  steps.problem.strides = {0, 1};
  Call gradient = ToInput(p, DType::kFloat, Shape({1, 3, 2, 5}));
  Call sizes = ToFilter(p, DType::kFloat, Shape({1, 3, 3, 5}));
  sizes.inputs[1] = Tensor::Vector<int32_t>({2, 2, 4});
  for (const Call& call : {channels, window, steps, gradient, sizes}) {
    const Status want = call.OnCpu(false).status();
    EXPECT_EQ(want.code(), StatusCode::kInvalidArgument) << want;
    for (const GpuMode mode : GpuModes()) {
      EXPECT_EQ(call.OnGpu(false, mode).status().message(), want.message());
    }
  }
}

// The side of simulated GPUs has every type for which the ops are declared on GPUs, and their
// kernels there are those that launch.
TEST(Conv2DOnGpu, IsThereForAllTypes) {
  for (const char* op : {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"}) {
    for (const DType dtype : kTypes) {
      AttrMap attrs;
      attrs.Set("T", dtype);
      const KernelDecl* const decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
      ASSERT_NE(decl, nullptr);
      ASSERT_NE(decl->has_gpu_code, nullptr);
      EXPECT_EQ(decl->has_gpu_code(attrs), HasGpuConvolutions(dtype));
    }
  }
}

}  // namespace
}  // namespace warpbeam
