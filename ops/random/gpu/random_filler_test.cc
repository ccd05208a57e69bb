// Random values on simulated GPUs are those of the CPU.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/replayable.h"

namespace warpbeam {
namespace {

constexpr DType kFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};
// No multiple of what a thread computes, more than a block's threads have at a time, nothing.
const Shape kShapes[] = {Shape({7}), Shape({31, 101}), Shape({0, 3}), Shape()};

Tensor ShapeInput(const Shape& shape) {
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return Tensor::Vector<int32_t>(dims);
}

// Normal values go through other approximations on the CPU's vectors, and on real GPUs.
Tolerance ToleranceOf(const std::string& op, DType dtype) {
  Tolerance tolerance;
  if (op.find("Normal") == std::string::npos) return tolerance;
  tolerance.relative = tolerance.absolute = dtype == DType::kDouble  ? 1e-12
                                            : dtype == DType::kFloat ? 1e-5
                                            : dtype == DType::kHalf  ? 2e-3
                                                                     : 2e-2;
  return tolerance;
}

TEST(RandomOnGpu, SeededOps) {
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    for (const DType dtype : kFloats) {
      for (const Shape& shape : kShapes) {
        EXPECT_EQ(GpuAsCpu({op,
                            {{"seed", int64_t{87}}, {"seed2", int64_t{12}}, {"dtype", dtype}},
                            {{ShapeInput(shape)}}},
                           ToleranceOf(op, dtype)),
                  OkStatus())
            << DTypeName(dtype) << shape.ToString();
      }
    }
  }
}

// Its launches may not be played again: each call goes on in the stream.
TEST(RandomOnGpu, OnlyStatelessOpsAreReplayable) {
  for (const auto& [op, want] :
       {std::pair("RandomUniform", false), {"StatelessRandomUniform", true}}) {
    AttrMap attrs;
    for (const char* attr : {"seed", "seed2"}) attrs.Set(attr, int64_t{3});
    for (const char* attr : {"T", "Tseed"}) attrs.Set(attr, DType::kInt32);
    attrs.Set("dtype", DType::kFloat);
    const KernelDecl* decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
    ASSERT_NE(decl, nullptr);
    ASSERT_NE(decl->gpu_factory, nullptr);
    const auto schema = OpRegistry::Global().Get(op);
    ASSERT_TRUE(schema.ok());
    const std::vector<DType> in(want ? 2 : 1, DType::kInt32), out = {DType::kFloat};
    const std::string name = "node";
    KernelInit init{name, **schema, attrs, in, out, DeviceType::kGpu, nullptr, nullptr, nullptr};
    const auto kernel = decl->gpu_factory(init);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const auto* replayable = dynamic_cast<const Replayable*>(kernel->get());
    ASSERT_NE(replayable, nullptr);
    EXPECT_EQ(replayable->is_replayable(), want) << op;
  }
}

TEST(RandomOnGpu, StatelessOps) {
  const Tensor seed = Tensor::Vector<int64_t>({5, -3});
  const Tensor key = Tensor::Vector<uint64_t>({0x123456789abcdefu});
  // The lower half overflows on the way.
  const Tensor counter = Tensor::Vector<uint64_t>({~uint64_t{0} - 5, 7});
  const Tensor alg = Tensor::Scalar<int32_t>(1);
  for (const std::string op :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    for (const DType dtype : kFloats) {
      for (const Shape& shape : kShapes) {
        const Tensor dims = ShapeInput(shape);
        EXPECT_EQ(GpuAsCpu({op, {{"dtype", dtype}}, {{dims}, {seed}}}, ToleranceOf(op, dtype)),
                  OkStatus());
        EXPECT_EQ(GpuAsCpu({op + "V2", {{"dtype", dtype}}, {{dims}, {key}, {counter}, {alg}}},
                           ToleranceOf(op, dtype)),
                  OkStatus());
      }
    }
  }
}

TEST(RandomOnGpu, GammaSamples) {
  const Tensor shape = Tensor::Vector<int32_t>({400, 2, 3});
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble}) {
    const auto alpha =
        OpRunner("Cast")
            .Attr("DstT", dtype)
            .Input(Tensor::FromValues<double>(Shape({2, 3}), {0.25, 1, 3, 40, 0.5, 1.5}))
            .RunOne();
    ASSERT_TRUE(alpha.ok()) << alpha.status();
    const Tolerance tolerance = ToleranceOf("Normal", dtype);
    EXPECT_EQ(
        GpuAsCpu(
            {"StatelessRandomGammaV2", {}, {{shape}, {Tensor::Vector<int64_t>({3, 5})}, {*alpha}}},
            tolerance),
        OkStatus());
    EXPECT_EQ(GpuAsCpu({"StatelessRandomGammaV3",
                        {},
                        {{shape},
                         {Tensor::Vector<uint64_t>({77})},
                         {Tensor::Vector<uint64_t>({~uint64_t{0}, 2})},
                         {Tensor::Scalar<int32_t>(1)},
                         {*alpha}}},
                       tolerance),
              OkStatus());
    EXPECT_EQ(
        GpuAsCpu({"StatelessRandomGammaV2",
                  {},
                  {{Tensor::Vector<int32_t>({2, 2})}, {Tensor::Vector<int64_t>({3, 5})}, {*alpha}}},
                 tolerance),
        OkStatus());
  }
}

TEST(RandomOnGpu, Integers) {
  const Tensor seed = Tensor::Vector<int32_t>({5, -3});
  const Tensor key = Tensor::Vector<uint64_t>({99}), counter = Tensor::Vector<uint64_t>({1, 2});
  const Tensor alg = Tensor::Scalar<int32_t>(3);
  for (const Shape& shape : kShapes) {
    const Tensor dims = ShapeInput(shape);
    for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64}) {
      EXPECT_EQ(GpuAsCpu({"StatelessRandomUniformFullInt", {{"dtype", dtype}}, {{dims}, {seed}}},
                         Tolerance()),
                OkStatus());
      EXPECT_EQ(GpuAsCpu({"StatelessRandomUniformFullIntV2",
                          {{"dtype", dtype}},
                          {{dims}, {key}, {counter}, {alg}}},
                         Tolerance()),
                OkStatus());
    }
    const Tensor low = Tensor::Scalar<int64_t>(-1000), high = Tensor::Scalar<int64_t>(3000000000);
    const Tensor small = Tensor::Scalar<int32_t>(-7), large = Tensor::Scalar<int32_t>(90);
    for (const auto& [least, most] : {std::pair(low, high), {small, large}, {large, small}}) {
      EXPECT_EQ(GpuAsCpu({"RandomUniformInt",
                          {{"seed", int64_t{87}}, {"seed2", int64_t{12}}},
                          {{dims}, {least}, {most}}},
                         Tolerance()),
                OkStatus());
      EXPECT_EQ(GpuAsCpu({"StatelessRandomUniformInt", {}, {{dims}, {seed}, {least}, {most}}},
                         Tolerance()),
                OkStatus());
      EXPECT_EQ(GpuAsCpu({"StatelessRandomUniformIntV2",
                          {},
                          {{dims}, {key}, {counter}, {alg}, {least}, {most}}},
                         Tolerance()),
                OkStatus());
    }
  }
}

template <class T>
Tensor Logits(int64_t classes) {
  std::vector<T> values(static_cast<size_t>(3 * classes));
  for (size_t i = 0; i < values.size(); ++i) values[i] = T(static_cast<float>(i * 37 % 101) / 20);
  values[0] = T(std::numeric_limits<float>::infinity());
  values.back() = T(-std::numeric_limits<float>::infinity());
  return Tensor::FromValues<T>(Shape({3, classes}), values);
}

TEST(RandomOnGpu, ClassesByLogits) {
  const Tensor seed = Tensor::Vector<int64_t>({5, -3});
  for (const int64_t classes : {2, 7, 300, 700}) {
    for (const Tensor& x :
         {Logits<Half>(classes), Logits<float>(classes), Logits<double>(classes)}) {
      for (const int32_t samples : {0, 1, 401}) {
        const Tensor number = Tensor::Scalar<int32_t>(samples);
        for (const DType out : {DType::kInt32, DType::kInt64}) {
          EXPECT_EQ(
              GpuAsCpu({"Multinomial",
                        {{"seed", int64_t{87}}, {"seed2", int64_t{12}}, {"output_dtype", out}},
                        {{x}, {number}}},
                       Tolerance()),
              OkStatus());
          EXPECT_EQ(
              GpuAsCpu({"StatelessMultinomial", {{"output_dtype", out}}, {{x}, {number}, {seed}}},
                       Tolerance()),
              OkStatus());
        }
      }
    }
  }
}

TEST(RandomOnGpu, RefusesStatesThatTheCpuRefuses) {
  const Tensor dims = ShapeInput(Shape({3}));
  const Tensor key = Tensor::Vector<uint64_t>({99}), counter = Tensor::Vector<uint64_t>({1, 2});
  const Tensor alg = Tensor::Scalar<int32_t>(1), threefry = Tensor::Scalar<int32_t>(2);
  for (const std::vector<std::vector<Tensor>>& arguments :
       {std::vector<std::vector<Tensor>>{{dims}, {key}, {counter}, {threefry}},
        {{dims}, {counter}, {counter}, {alg}},
        {{dims}, {key}, {key}, {alg}}}) {
    EXPECT_EQ(GpuAsCpu({"StatelessRandomUniformV2", {}, arguments}, Tolerance()), OkStatus());
    for (const GpuMode mode : GpuModes()) {
      GpuOpRunner on_gpu("StatelessRandomUniformV2", mode);
      for (const auto& argument : arguments) on_gpu.InputList(argument);
      EXPECT_EQ(on_gpu.Run().status().code(), StatusCode::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace warpbeam
