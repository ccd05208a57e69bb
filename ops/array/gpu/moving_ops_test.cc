// Ops that only move elements give on simulated GPUs what they give on the CPU.
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// A type of each size.
constexpr DType kTypes[] = {DType::kBool, DType::kHalf, DType::kFloat, DType::kDouble,
                            DType::kComplex128};

Tensor Ints(std::vector<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor Pairs(std::vector<int32_t> values) {
  return Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(values.size()) / 2, 2}), values);
}

void ExpectAsCpu(const OpCall& call) {
  EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << call.op;
}

TEST(MovingOnGpu, ConcatAlongEachAxisOfEachSize) {
  for (const DType dtype : kTypes) {
    for (int32_t axis = 0; axis < 3; ++axis) {
      // Wide elements, odd ones, an empty part.
      for (const std::vector<int64_t>& extents :
           {std::vector<int64_t>{16, 32}, std::vector<int64_t>{3, 1, 7}, {5, 0, 4}}) {
        std::vector<Tensor> parts;
        for (const int64_t extent : extents) {
          const auto shape = Shape({4, 6, 8}).WithDim(axis, extent);
          ASSERT_TRUE(shape.ok());
          parts.push_back(CountingTensor(dtype, *shape));
        }
        ExpectAsCpu({"ConcatV2", {}, {parts, {Tensor::Scalar<int32_t>(axis)}}});
        ExpectAsCpu({"Concat", {}, {{Tensor::Scalar<int32_t>(axis)}, parts}});
      }
    }
  }
}

TEST(MovingOnGpu, ConcatOfMoreThanALaunchTakesAndOfLongRows) {
  std::vector<Tensor> parts;
  for (int i = 1; i <= 40; ++i) parts.push_back(CountingTensor(DType::kFloat, Shape({3, i})));
  ExpectAsCpu({"ConcatV2", {}, {parts, {Tensor::Scalar<int32_t>(1)}}});
  parts = {CountingTensor(DType::kFloat, Shape({2, 5000})),
           CountingTensor(DType::kFloat, Shape({2, 3001}))};
  ExpectAsCpu({"ConcatV2", {}, {parts, {Tensor::Scalar<int32_t>(1)}}});
}

TEST(MovingOnGpu, ConcatRefusesWhatTheCpuRefuses) {
  const Tensor a = CountingTensor(DType::kFloat, Shape({2, 3}));
  const Tensor b = CountingTensor(DType::kFloat, Shape({3, 3}));
  ExpectAsCpu({"ConcatV2", {}, {{a, b}, {Tensor::Scalar<int32_t>(1)}}});
  ExpectAsCpu({"ConcatV2", {}, {{a, a}, {Tensor::Scalar<int32_t>(2)}}});
}

TEST(MovingOnGpu, PackAndUnpack) {
  for (const DType dtype : kTypes) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      const Tensor x = CountingTensor(dtype, Shape({5, 4}));
      const Tensor y = CountingTensor(dtype, Shape({3, 3, 3}));
      ExpectAsCpu({"Pack", {{"axis", axis}}, {{x, x, x}}});
      ExpectAsCpu({"Pack", {{"axis", axis}}, {{x}}});
      ExpectAsCpu({"Unpack", {{"num", int64_t{3}}, {"axis", axis}}, {{y}}});
      ExpectAsCpu({"Unpack", {{"num", int64_t{4}}, {"axis", axis}}, {{y}}});
    }
  }
}

TEST(MovingOnGpu, SplitAndSplitV) {
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    const Tensor x = CountingTensor(dtype, Shape({6, 4, 10}));
    for (int32_t axis = 0; axis < 3; ++axis) {
      const Tensor at = Tensor::Scalar<int32_t>(axis);
      ExpectAsCpu({"Split", {{"num_split", int64_t{2}}}, {{at}, {x}}});
      ExpectAsCpu({"Split", {{"num_split", int64_t{7}}}, {{at}, {x}}});
      ExpectAsCpu({"SplitV", {{"num_split", int64_t{3}}}, {{x}, {Ints({1, -1, 2})}, {at}}});
    }
  }
}

TEST(MovingOnGpu, Slices) {
  for (const DType dtype : kTypes) {
    const Tensor x = CountingTensor(dtype, Shape({5, 6, 16}));
    if (dtype != DType::kBool) {
      ExpectAsCpu({"Slice", {}, {{x}, {Ints({1, 2, 4})}, {Ints({3, -1, 8})}}});
    }
    ExpectAsCpu({"Slice", {}, {{x}, {Ints({1, 0, 3})}, {Ints({3, 6, 5})}}});
    ExpectAsCpu({"Slice", {}, {{x}, {Ints({2, 0, 0})}, {Ints({2, 6, 16})}}});
    ExpectAsCpu({"Slice", {}, {{x}, {Ints({2, 0, 0})}, {Ints({4, 6, 16})}}});
    const std::vector<Tensor> begin = {Ints({4, 1, 15})}, end = {Ints({0, 6, 0})},
                              strides = {Ints({-2, 2, -3})};
    ExpectAsCpu({"StridedSlice", {}, {{x}, begin, end, strides}});
    ExpectAsCpu({"StridedSlice",
                 {{"shrink_axis_mask", int64_t{2}}},
                 {{x}, {Ints({1, 3})}, {Ints({4, 4})}, {Ints({1, 1})}}});
    const Tensor dy = CountingTensor(dtype, Shape({2, 3, 5}));
    ExpectAsCpu({"StridedSliceGrad", {}, {{Ints({5, 6, 16})}, begin, end, strides, {dy}}});
    ExpectAsCpu({"StridedSliceGrad", {}, {{Ints({5, 6, 17})}, begin, end, strides, {dy}}});
    ExpectAsCpu({"TensorStridedSliceUpdate", {}, {{x}, begin, end, strides, {dy}}});
  }
}

TEST(MovingOnGpu, Transpose) {
  for (const DType dtype : kTypes) {
    const std::pair<Shape, std::vector<int32_t>> cases[] = {
        {Shape({64, 64}), {1, 0}},
        {Shape({33, 70}), {1, 0}},
        {Shape({3, 40, 65}), {0, 2, 1}},
        {Shape({40, 3, 65}), {2, 1, 0}},
        {Shape({2, 5, 7, 9}), {3, 1, 2, 0}},
        {Shape({2, 20, 18, 3}), {0, 3, 1, 2}},
        {Shape({4, 6, 2, 16}), {0, 2, 1, 3}},
        {Shape({5, 0, 3}), {2, 1, 0}},
        {Shape({2, 3, 2, 3, 2}), {4, 0, 3, 1, 2}}};
    for (const auto& [shape, perm] : cases) {
      ExpectAsCpu({"Transpose", {}, {{CountingTensor(dtype, shape)}, {Ints(perm)}}});
    }
  }
  const Tensor x = CountingTensor(DType::kFloat, Shape({2, 3}));
  ExpectAsCpu({"Transpose", {}, {{x}, {Ints({0, 0})}}});
}

TEST(MovingOnGpu, ConjugateTranspose) {
  for (const DType dtype : {DType::kFloat, DType::kComplex64, DType::kComplex128}) {
    const Tensor halves = CountingTensor(
        dtype == DType::kComplex128 ? DType::kDouble : DType::kFloat, Shape({2, 1, 3, 5}));
    Tensor x = halves;
    if (dtype != DType::kFloat) {
      auto complex = OpRunner("Complex")
                         .Attr("Tout", dtype)
                         .Input(halves)
                         .Input(CountingTensor(halves.dtype(), Shape({2, 1, 3, 5})))
                         .RunOne();
      ASSERT_TRUE(complex.ok()) << complex.status();
      x = *complex;
    }
    ExpectAsCpu({"ConjugateTranspose", {}, {{x}, {Ints({3, 1, 0, 2})}}});
    ExpectAsCpu({"ConjugateTranspose", {}, {{x}, {Ints({1, 0, 2, 3})}}});
    ExpectAsCpu({"ConjugateTranspose", {}, {{x}, {Ints({1, 1, 2, 3})}}});
  }
}

TEST(MovingOnGpu, SameBytes) {
  const Tensor x = CountingTensor(DType::kFloat, Shape({3, 2}));
  ExpectAsCpu({"Bitcast", {{"type", DType::kInt64}}, {{x}}});
  ExpectAsCpu(
      {"Bitcast", {{"type", DType::kDouble}}, {{CountingTensor(DType::kFloat, Shape({3}))}}});
  ExpectAsCpu({"EnsureShape", {{"shape", PartialShape({-1, 2})}}, {{x}}});
  ExpectAsCpu({"EnsureShape", {{"shape", PartialShape({-1, 3})}}, {{x}}});
}

TEST(MovingOnGpu, Range) {
  const auto scalar = [](DType dtype, double value) {
    return *OpRunner("Cast").Attr("DstT", dtype).Input(Tensor::Scalar<double>(value)).RunOne();
  };
  for (const DType dtype :
       {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt64}) {
    for (const auto& [start, limit, delta] :
         {std::tuple(2.0, 90.0, 3.0), {5.0, -20.0, -1.0}, {1.0, 1.0, 1.0}, {1.0, 2.0, -1.0}}) {
      ExpectAsCpu(
          {"Range", {}, {{scalar(dtype, start)}, {scalar(dtype, limit)}, {scalar(dtype, delta)}}});
    }
  }
}

TEST(MovingOnGpu, TileAndBroadcast) {
  for (const DType dtype : kTypes) {
    const Tensor x = CountingTensor(dtype, Shape({3, 4, 5}));
    ExpectAsCpu({"Tile", {}, {{x}, {Ints({2, 1, 3})}}});
    ExpectAsCpu({"Tile", {}, {{x}, {Ints({2, 0, 3})}}});
    ExpectAsCpu({"Tile", {}, {{x}, {Ints({2, 3})}}});
    const Tensor row = CountingTensor(dtype, Shape({4, 1}));
    ExpectAsCpu({"BroadcastTo", {}, {{row}, {Ints({2, 4, 33})}}});
    ExpectAsCpu({"BroadcastTo", {}, {{row}, {Ints({3, 33})}}});
  }
}

TEST(MovingOnGpu, Pads) {
  for (const DType dtype : kTypes) {
    const Tensor x = CountingTensor(dtype, Shape({3, 4, 5}));
    ExpectAsCpu({"Pad", {}, {{x}, {Pairs({1, 2, 0, 0, 3, 1})}}});
    ExpectAsCpu({"Pad", {}, {{x}, {Pairs({1, 2, 0, -1, 3, 1})}}});
    const Tensor value = CountingTensor(dtype, Shape());
    ExpectAsCpu({"PadV2", {}, {{x}, {Pairs({1, 2, 0, 0, 3, 1})}, {value}}});
  }
}

TEST(MovingOnGpu, FilledTensors) {
  for (const DType dtype : kTypes) {
    const Tensor x = CountingTensor(dtype, Shape({3, 37}));
    const Tensor value = CountingTensor(dtype, Shape());
    ExpectAsCpu({"Fill", {}, {{Ints({5, 1001})}, {value}}});
    ExpectAsCpu({"ZerosLike", {}, {{x}}});
    ExpectAsCpu({"OnesLike", {}, {{x}}});
  }
  ExpectAsCpu({"Empty", {{"dtype", DType::kFloat}, {"init", true}}, {{Ints({3, 5})}}});
  ExpectAsCpu({"DeepCopy", {}, {{CountingTensor(DType::kFloat, Shape({3, 37}))}}});
}

TEST(MovingOnGpu, OrderOfElements) {
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    const Tensor x = CountingTensor(dtype, Shape({5, 6, 7}));
    ExpectAsCpu({"ReverseV2", {}, {{x}, {Ints({0, 2})}}});
    ExpectAsCpu({"ReverseV2", {}, {{x}, {Ints({1})}}});
    ExpectAsCpu({"Reverse", {}, {{x}, {Tensor::Vector<bool>({true, false, true})}}});
    ExpectAsCpu({"Roll", {}, {{x}, {Ints({2, -3, 1})}, {Ints({0, 2, 1})}}});
    ExpectAsCpu({"Diag", {}, {{CountingTensor(dtype, Shape({3, 4}))}}});
    ExpectAsCpu({"DiagPart", {}, {{CountingTensor(dtype, Shape({3, 4, 3, 4}))}}});
  }
}

TEST(MovingOnGpu, BlocksOfSpace) {
  for (const DType dtype : {DType::kHalf, DType::kFloat}) {
    const Tensor x = CountingTensor(dtype, Shape({2, 4, 6, 8}));
    for (const char* format : {"NHWC", "NCHW"}) {
      ExpectAsCpu({"SpaceToDepth",
                   {{"block_size", int64_t{2}}, {"data_format", std::string(format)}},
                   {{x}}});
      ExpectAsCpu({"DepthToSpace",
                   {{"block_size", int64_t{2}}, {"data_format", std::string(format)}},
                   {{x}}});
    }
    const Tensor pads = Pairs({1, 1, 0, 2});
    ExpectAsCpu({"SpaceToBatchND", {}, {{x}, {Ints({3, 4})}, {pads}}});
    ExpectAsCpu({"SpaceToBatch", {{"block_size", int64_t{2}}}, {{x}, {pads}}});
    const Tensor y = CountingTensor(dtype, Shape({12, 2, 2, 3}));
    ExpectAsCpu({"BatchToSpaceND", {}, {{y}, {Ints({3, 2})}, {Pairs({1, 1, 0, 2})}}});
    ExpectAsCpu({"BatchToSpace", {{"block_size", int64_t{2}}}, {{y}, {Pairs({1, 1, 0, 2})}}});
  }
}

TEST(MovingOnGpu, MirrorPad) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
    const Tensor x = CountingTensor(dtype, Shape({2, 4, 5, 3}));
    for (const std::string mode : {"REFLECT", "SYMMETRIC"}) {
      const Tensor pads = Pairs({0, 0, 3, 2, 1, 4, 0, 0});
      ExpectAsCpu({"MirrorPad", {{"mode", mode}}, {{x}, {pads}}});
      ExpectAsCpu({"MirrorPad", {{"mode", mode}}, {{x}, {Pairs({0, 0, 5, 2, 1, 4, 0, 0})}}});
      // Small whole numbers: no order of adding them up rounds.
      const Tensor dy = CountingTensor(dtype, Shape({2, 9, 10, 3}));
      ExpectAsCpu({"MirrorPadGrad", {{"mode", mode}}, {{dy}, {pads}}});
      ExpectAsCpu({"MirrorPadGrad", {{"mode", mode}}, {{dy}, {Pairs({0, 0, 0, 6, 0, 0, 0, 0})}}});
    }
  }
}

TEST(MovingOnGpu, Diagonals) {
  for (const DType dtype : kTypes) {
    const Tensor x = CountingTensor(dtype, Shape({2, 4, 5}));
    const Tensor band = CountingTensor(dtype, Shape({2, 3, 4}));
    const Tensor k = Ints({-1, 1}), size = Tensor::Scalar<int32_t>(-1);
    const Tensor padding = CountingTensor(dtype, Shape());
    for (const std::string align : {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT"}) {
      ExpectAsCpu({"MatrixDiagV3", {{"align", align}}, {{band}, {k}, {size}, {size}, {padding}}});
      ExpectAsCpu({"MatrixDiagPartV3", {{"align", align}}, {{x}, {k}, {padding}}});
      ExpectAsCpu({"MatrixSetDiagV3", {{"align", align}}, {{x}, {band}, {k}}});
    }
    ExpectAsCpu({"MatrixDiag", {}, {{band}}});
    ExpectAsCpu({"MatrixDiagPart", {}, {{x}}});
    ExpectAsCpu({"MatrixSetDiag", {}, {{x}, {CountingTensor(dtype, Shape({2, 4}))}}});
    ExpectAsCpu({"MatrixSetDiag", {}, {{x}, {band}}});
    for (const int64_t above : {-1, 0, 2, 6}) {
      ExpectAsCpu({"MatrixBandPart",
                   {},
                   {{x}, {Tensor::Scalar<int64_t>(1)}, {Tensor::Scalar<int64_t>(above)}}});
    }
  }
}

TEST(MovingOnGpu, ReverseSequence) {
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kDouble}) {
    const Tensor x = CountingTensor(dtype, Shape({4, 3, 5, 2}));
    ExpectAsCpu({"ReverseSequence",
                 {{"seq_dim", int64_t{2}}, {"batch_dim", int64_t{0}}},
                 {{x}, {Ints({3, 0, 5, 1})}}});
    ExpectAsCpu({"ReverseSequence",
                 {{"seq_dim", int64_t{0}}, {"batch_dim", int64_t{3}}},
                 {{x}, {Tensor::Vector<int64_t>({3, 4})}}});
    ExpectAsCpu({"ReverseSequence",
                 {{"seq_dim", int64_t{0}}, {"batch_dim", int64_t{3}}},
                 {{x}, {Ints({3, 4, 1})}}});
  }
}

// The CPU refuses such lengths; what lies in a GPU's memory cannot be.
TEST(MovingOnGpu, ReverseSequenceTakesTheNearestLengthThatThereIs) {
  const Tensor x = Tensor::FromValues<float>(Shape({2, 3}), {1, 2, 3, 4, 5, 6});
  const Tensor want = Tensor::FromValues<float>(Shape({2, 3}), {1, 2, 3, 6, 5, 4});
  for (const auto& [below, above] : {std::pair<int64_t, int64_t>(-1, 4), {INT64_MIN, INT64_MAX}}) {
    for (const GpuMode mode : GpuModes()) {
      const auto y = GpuOpRunner("ReverseSequence", mode)
                         .Attr("seq_dim", int64_t{1})
                         .Input(x)
                         .Input(Tensor::Vector<int64_t>({below, above}))
                         .Run();
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(CompareTensors(*y, want, {}), OkStatus());
    }
  }
}

TEST(MovingOnGpu, ParallelConcat) {
  const Tensor x = CountingTensor(DType::kFloat, Shape({1, 5}));
  const Tensor y = CountingTensor(DType::kFloat, Shape({1, 5}));
  ExpectAsCpu({"ParallelConcat", {{"shape", PartialShape({3, 5})}}, {{x, y}}});
}

// What TensorFlow keeps in host memory stays a kernel of the host.
TEST(MovingOnGpu, IsAttachedToTheDeclarationsOfDeviceMemory) {
  for (const char* op : {"Concat", "ConcatV2", "Pack", "SplitV", "Slice", "StridedSlice",
                         "StridedSliceGrad", "Pad", "PadV2", "BroadcastTo", "Fill", "ReverseV2"}) {
    AttrMap attrs;
    for (const char* index : {"Tidx", "Index", "Tpaddings", "index_type", "Tlen"}) {
      attrs.Set(index, DType::kInt32);
    }
    attrs.Set("T", DType::kFloat);
    const KernelDecl* decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
    ASSERT_NE(decl, nullptr) << op;
    EXPECT_NE(decl->gpu_factory, nullptr) << op;
    attrs.Set("T", DType::kInt32);
    decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
    ASSERT_NE(decl, nullptr) << op;
    EXPECT_EQ(decl->gpu_factory, nullptr) << op;
  }
}

}  // namespace
}  // namespace warpbeam
