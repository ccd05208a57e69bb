// Members of collectives on GPUs of the stand-in, without a session: what kernels do, by hand.
//
//   TEST_F(NcclTest, …) {
//     auto world = World::Make();                  // a member on each of kGpus GPUs
//     EXPECT_TRUE((*world)->Run(CallOf(kReduction)).ok());
//     EXPECT_EQ((*world)->members[0]->First().value_or(0), 6);
//   }
//
// Ownership: a world has its GPUs and members. Thread safety: one thread. Errors: those of members.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_NCCL_MEMBERS_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_NCCL_MEMBERS_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/step_context.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {

inline constexpr int kGpus = 3;
inline constexpr int64_t kCount = 1000;

inline void AddFloats(void* out, const void* a, const void* b, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<float*>(out)[i] = static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
  }
}

// A member's call of a kernel: its GPU, its tensor, and what it was told.
class Member {
 public:
  Member(Device* gpu, StepContext* step) : endpoint_(GpuEndpoint::Of(gpu)), step_(*step) {
    type_ = DType::kFloat;
    info_.output_types = &type_;
    info_.num_outputs = 1;
    ctx_ = std::make_unique<KernelContext>(&output_, info_, gpu, step);
  }

  Status SetInput(float value) {
    Device& gpu = endpoint_->device();
    WB_ASSIGN_OR_RETURN(input_, Tensor::Allocate(DType::kFloat, Shape({kCount}), gpu.allocator()));
    const std::vector<float> host(kCount, value);
    WB_RETURN_IF_ERROR(gpu.compute_stream()->Copy(input_.raw_data(), host.data(), input_.bytes()));
    return gpu.Synchronize();
  }
  void Join(CollectiveCall call) {
    call.member.node = "member";
    call.member.gpu = endpoint_.get();
    call.member.input = std::move(input_);
    JoinCollective(*ctx_, std::move(call), [this](Status s) {
      if (!s.ok()) step_.Fail(s).IgnoreError();
      std::lock_guard<std::mutex> lock(mutex_);
      told_ = std::move(s);
      is_told_ = true;
      changed_.notify_all();
    });
  }
  Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [this] { return is_told_; })) {
      return Internal("a member was never told");
    }
    is_told_ = false;
    return told_;
  }
  StatusOr<float> First() {
    Device& gpu = endpoint_->device();
    float value = 0;
    WB_RETURN_IF_ERROR(gpu.compute_stream()->Copy(&value, output_.value.raw_data(), sizeof(value)));
    WB_RETURN_IF_ERROR(gpu.Synchronize());
    return value;
  }

 private:
  const std::shared_ptr<GpuEndpoint> endpoint_;
  StepContext& step_;
  DType type_;
  Slot output_;
  KernelContext::NodeInfo info_ = {};
  std::unique_ptr<KernelContext> ctx_;
  Tensor input_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_told_ = false;
  Status told_;
};

inline CollectiveCall CallOf(int kind) {
  CollectiveCall call;
  call.group = "1";
  call.instance = "2";
  call.group_size = kGpus;
  call.kind = kind;
  call.shape = Shape({kCount});
  call.dtype = DType::kFloat;
  call.merge = AddFloats;
  call.combine = [](KernelContext&, const std::vector<CollectiveMember>&) -> StatusOr<Tensor> {
    return Internal("they met on the host");
  };
  return call;
}

// What is left, once communicators have been aborted, on threads of their own. The libraries of
// products and their plans are kept for the whole process.
inline std::string Left() {
  for (int wait = 0; wait < 500 && cuda_stand_in::Left().communicators != 0; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  cuda_stand_in::Leftovers left = cuda_stand_in::Left();
  left.libraries = left.descriptors = 0;
  return left.ToString();
}

class NcclTest : public ::testing::Test {
 protected:
  void SetUp() override { cuda_stand_in::SetGpus(kGpus); }
  void TearDown() override {
    cuda_stand_in::FailCall(0);
    EXPECT_EQ(Left(), "");
  }
};

struct World {
  std::vector<std::unique_ptr<Device>> gpus;
  StepContext step{7, nullptr, nullptr};
  std::vector<std::unique_ptr<Member>> members;

  static StatusOr<std::unique_ptr<World>> Make() {
    auto world = std::make_unique<World>();
    for (int i = 0; i < kGpus; ++i) {
      WB_ASSIGN_OR_RETURN(
          std::unique_ptr<Device> gpu,
          RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, i), i, {}));
      world->members.push_back(std::make_unique<Member>(gpu.get(), &world->step));
      world->gpus.push_back(std::move(gpu));
    }
    return world;
  }

  // Member i brings i + 1; all are waited for, whatever comes of it.
  Status Run(const CollectiveCall& call) {
    for (int i = 0; i < kGpus; ++i) {
      WB_RETURN_IF_ERROR(members[i]->SetInput(static_cast<float>(i + 1)));
    }
    for (int i = kGpus - 1; i >= 0; --i) {
      CollectiveCall own = call;
      own.member.is_source = call.kind == kBroadcast && i == 1;
      members[i]->Join(std::move(own));
    }
    return Wait();
  }
  Status Wait() {
    Status last;
    for (const auto& member : members) {
      const Status told = member->Wait();
      if (!told.ok()) last = told;
    }
    return step.first_error().ok() ? last : step.first_error();
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_NCCL_MEMBERS_H_
