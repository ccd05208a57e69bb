#include "ops/launch/op_record.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// An op of this test alone: x as it is on the CPU, and `factor` times x on a GPU.
class AsItIs final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AsItIs>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};

class TimesFactorOnGpu final : public GpuKernel {
 public:
  explicit TimesFactorOnGpu(float factor) : factor_(factor) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const float factor, init.attr<float>("factor"));
    return std::make_unique<TimesFactorOnGpu>(factor);
  }
  static bool HasGpuCode(const AttrMap&) { return false; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    ++calls;
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    return stream.RunOnHost([from = x.data<float>(), to = y->data<float>(),
                             count = x.num_elements(), factor = factor_] {
      std::transform(from, from + count, to, [=](float value) { return factor * value; });
    });
  }

  static int calls;

 private:
  const float factor_;
};
int TimesFactorOnGpu::calls = 0;

WB_OP("OpRecordTestOp")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .Attr("factor: float = 1")
    .Shape(shapes::Unchanged);
WB_KERNEL("OpRecordTestOp", AsItIs).Cpu().Gpu({{"T", {DType::kFloat}}});
WB_GPU_KERNEL("OpRecordTestOp", TimesFactorOnGpu);

void Record(float factor) {
  OpTest("OpRecordTestOp")
      .Attr("factor", factor)
      .Input<float>({2}, {1, 2})
      .Expect<float>({2}, {1, 2});
}

TEST(OpRecord, RunsTheKernelOfGpusOnce) {
  const int before = TimesFactorOnGpu::calls;
  Record(1);
  EXPECT_EQ(TimesFactorOnGpu::calls, before + 1);
}

TEST(OpRecord, FailsWhereOnlyTheGpuGivesSomethingElse) {
  EXPECT_NONFATAL_FAILURE(Record(3),
                          "element [0]: got 3, expected 1 (2 of 2 differ) (on a simulated GPU)");
}

TEST(OpRecord, SaysWhyAGpuIsLeftOut) {
  const int before = TimesFactorOnGpu::calls;
  OpTest("OpRecordTestOp")
      .Attr("factor", 3.0f)
      .Input<float>({1}, {1})
      .Expect<float>({1}, {1})
      .NotOnGpu("it multiplies there");
  EXPECT_EQ(TimesFactorOnGpu::calls, before);
}

// Doubles have no kernel for GPUs, and what is refused is refused by the CPU.
TEST(OpRecord, LeavesOutTypesThatGpusDoNotHaveAndErrors) {
  const int before = TimesFactorOnGpu::calls;
  OpTest("OpRecordTestOp").Attr("factor", 3.0f).Input<double>({1}, {1}).Expect<double>({1}, {1});
  OpTest("OpRecordTestOp").Input<int32_t>({1}, {1}).ExpectError(StatusCode::kInvalidArgument);
  EXPECT_EQ(TimesFactorOnGpu::calls, before);
}

}  // namespace
}  // namespace warpbeam
