// A kernel reads what its stream has computed before; who waits for that is let go when the step
// ends.
#include "runtime/kernel/read_back_kernel.h"

#include <future>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "runtime/device/simulated/simulated_device.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// Launches what writes 42, then reads it.
class ReadsOwnNumber final : public ReadBackKernel {
 public:
  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(Tensor number, ctx.AllocateTemp(DType::kInt32, Shape({2})));
    auto* const at = number.data<int32_t>();
    WB_RETURN_IF_ERROR(stream.RunOnHost([at] { at[1] = 42; }));
    WB_RETURN_IF_ERROR(stream.Read(at + 1, 1, &read_));
    WB_ASSIGN_OR_RETURN(const Tensor all, stream.Read(number));
    read_ += all.data<int32_t>()[1];
    return OkStatus();
  }
  int32_t read_ = 0;
};

class ReadBackTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    SimulatedDeviceOptions options;
    options.enqueues = GetParam();
    auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), options);
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    gpu_ = *std::move(gpu);
  }
  Status Run(ReadsOwnNumber& kernel, StepContext* step) {
    KernelContext::NodeInfo info = {};
    KernelContext ctx(nullptr, info, gpu_.get(), step);
    return kernel.Compute(ctx);
  }
  std::unique_ptr<Device> gpu_;
};

TEST_P(ReadBackTest, ReadsWhatTheStreamHasComputed) {
  ReadsOwnNumber kernel;
  EXPECT_FALSE(kernel.is_replayable());
  StepContext step(1, nullptr, nullptr);
  EXPECT_EQ(Run(kernel, &step), OkStatus());
  EXPECT_EQ(Run(kernel, nullptr), OkStatus());
  EXPECT_EQ(kernel.read_, 42 + 42);
}

INSTANTIATE_TEST_SUITE_P(OnStreamAndEnqueued, ReadBackTest, ::testing::Bool());

// Of a stream that stands still.
class StandingStreamTest : public ReadBackTest {
 protected:
  void SetUp() override {
    ReadBackTest::SetUp();
    const Status stands =
        gpu_->compute_stream()->RunOnHost([go_on = go_on_.get_future().share()] { go_on.wait(); });
    ASSERT_TRUE(stands.ok()) << stands;
  }
  std::promise<void> go_on_;
};

TEST_P(StandingStreamTest, TheEndOfTheStepEndsTheWait) {
  ReadsOwnNumber kernel;
  StepContext step(1, nullptr, nullptr);
  std::thread ends([&] { step.Cancel(DeadlineExceeded("after 1 ms")); });
  EXPECT_EQ(Run(kernel, &step), DeadlineExceeded("after 1 ms"));
  ends.join();
  // So does one that has come before.
  EXPECT_EQ(Run(kernel, &step), DeadlineExceeded("after 1 ms"));
  go_on_.set_value();
  EXPECT_EQ(gpu_->Synchronize(), OkStatus());
}

INSTANTIATE_TEST_SUITE_P(Enqueued, StandingStreamTest, ::testing::Values(true));

}  // namespace
}  // namespace warpbeam
