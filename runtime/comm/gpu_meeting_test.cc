// Members of collectives on simulated GPUs, which come from several threads: sums are added up in
// the order of the ranks, whoever comes first, and what a member gets is there when it is told.
#include "runtime/comm/gpu_meeting.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/comm/staged_member.h"
#include "runtime/device/simulated/simulated_device.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

constexpr int kGpus = 3;
constexpr int64_t kCount = 100;
// Another sum in each order: 1e8 + 1 is 1e8.
constexpr float kValues[kGpus] = {1e8f, -1e8f, 1};

void AddFloats(void* out, const void* a, const void* b, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    static_cast<float*>(out)[i] = static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
  }
}
StatusOr<Tensor> OnTheHost(KernelContext&, const std::vector<CollectiveMember>&) {
  return Internal("they met on the host");
}

CollectiveCall Sum(const std::string& instance) {
  CollectiveCall call;
  call.group = "1";
  call.instance = instance;
  call.group_size = kGpus;
  call.kind = kReduction;
  call.shape = Shape({kCount});
  call.dtype = DType::kFloat;
  call.merge = AddFloats;
  call.combine = OnTheHost;
  return call;
}

// What a kernel is to its member, once.
struct Member {
  Member(Device* gpu, StepContext* step)
      : endpoint(GpuEndpoint::Of(gpu)), ctx(&output, info, gpu, step) {
    info.output_types = &type;
    info.num_outputs = 1;
  }
  Status Join(CollectiveCall call, float value) {
    Device& gpu = endpoint->device();
    WB_ASSIGN_OR_RETURN(Tensor input, Tensor::Allocate(type, call.shape, gpu.allocator()));
    float* const x = static_cast<float*>(gpu.ToKernelAddress(input.raw_data()));
    WB_RETURN_IF_ERROR(gpu.compute_stream()->RunOnHost([x, value] {
      for (int64_t i = 0; i < kCount; ++i) x[i] = value;
    }));
    // On a stream that runs kernels itself they have run when a member comes.
    if (gpu.execution_model() == ExecutionModel::kOnStream) WB_RETURN_IF_ERROR(gpu.Synchronize());
    call.member.node = "member";
    call.member.gpu = endpoint.get();
    call.member.input = std::move(input);
    JoinCollective(ctx, std::move(call), [this](Status s) {
      std::lock_guard<std::mutex> lock(mutex);
      told = std::move(s);
      is_told = true;
      changed.notify_all();
    });
    return OkStatus();
  }
  Status Wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return is_told; });
    return told;
  }
  // Without waiting for a stream: what a member is told of has happened.
  float First() {
    return *static_cast<const float*>(endpoint->device().ToKernelAddress(output.value.raw_data()));
  }

  const std::shared_ptr<GpuEndpoint> endpoint;
  const DType type = DType::kFloat;
  Slot output;
  KernelContext::NodeInfo info = {};
  KernelContext ctx;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_told = false;
  Status told;
};

class GpuMeetingTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    for (int i = 0; i < kGpus; ++i) {
      SimulatedDeviceOptions options;
      options.memory = 1 << 24;
      options.enqueues = GetParam();
      auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, i), options);
      ASSERT_TRUE(gpu.ok()) << gpu.status();
      gpus_.push_back(*std::move(gpu));
    }
  }
  std::vector<std::unique_ptr<Device>> gpus_;
  StepContext step_{5, nullptr, nullptr};
};

TEST_P(GpuMeetingTest, SumsAreInTheOrderOfTheRanks) {
  constexpr int kGroups = 64;
  std::vector<std::unique_ptr<Member>> members;
  for (int m = 0; m < kGroups * kGpus; ++m) {
    members.push_back(std::make_unique<Member>(gpus_[m % kGpus].get(), &step_));
  }
  // Each GPU's thread comes to the groups in an order of its own.
  std::vector<std::thread> threads;
  for (int i = 0; i < kGpus; ++i) {
    threads.emplace_back([&, i] {
      for (int g = 0; g < kGroups; ++g) {
        const int group = (g * (2 * i + 1)) % kGroups;
        const Status joined =
            members[group * kGpus + i]->Join(Sum(absl::StrCat(group)), kValues[i]);
        ASSERT_TRUE(joined.ok()) << joined;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& member : members) {
    const Status told = member->Wait();
    ASSERT_TRUE(told.ok()) << told;
    EXPECT_EQ(member->First(), 1);
  }
}

TEST_P(GpuMeetingTest, AGpuThatDoesNotComeIsNamed) {
  if (!GetParam()) GTEST_SKIP() << "kernels have run when a member comes";
  std::mutex hung;
  std::unique_lock<std::mutex> hang(hung);
  ASSERT_TRUE(
      gpus_[1]->compute_stream()->RunOnHost([&] { std::lock_guard<std::mutex> lock(hung); }).ok());
  std::vector<std::unique_ptr<Member>> members;
  for (int i = 0; i < kGpus; ++i) {
    members.push_back(std::make_unique<Member>(gpus_[i].get(), &step_));
    CollectiveCall call = Sum("1");
    call.timeout_seconds = 0.05;
    ASSERT_TRUE(members[i]->Join(std::move(call), 1).ok());
  }
  for (const auto& member : members) {
    const Status told = member->Wait();
    EXPECT_EQ(told.code(), StatusCode::kDeadlineExceeded) << told;
    EXPECT_NE(told.message().find("ended: rank 1 'member' at"), std::string::npos) << told;
  }
  hang.unlock();
}

// What tasks do with a member of which they know no other's GPU.
class Tasks final : public Collectives {
 public:
  void Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) override {
    EXPECT_NE(call.member.gpu, nullptr);
    StageOnHost({std::move(call.member), &ctx, nullptr, std::move(done)}, &Double);
  }

 private:
  static void Double(StatusOr<MeetingMember> host) {
    ASSERT_TRUE(host.ok()) << host.status();
    StatusOr<Tensor> sum = host->ctx->AllocateTemp(DType::kFloat, Shape({kCount}));
    ASSERT_TRUE(sum.ok()) << sum.status();
    for (int64_t i = 0; i < kCount; ++i) {
      sum->data<float>()[i] = 2 * host->member.input.data<float>()[i];
    }
    host->ctx->set_output(0, *std::move(sum));
    host->done(OkStatus());
  }
};

class RendezvousOfTasks final : public Rendezvous {
 public:
  Collectives* collectives() const override { return &tasks_; }

 private:
  mutable Tasks tasks_;
};

TEST_P(GpuMeetingTest, AMemberIsStagedForWhatIsMadeInHostMemory) {
  StepContext step(6, nullptr, nullptr, std::make_shared<RendezvousOfTasks>());
  Member member(gpus_[0].get(), &step);
  ASSERT_TRUE(member.Join(Sum("1"), 3).ok());
  const Status told = member.Wait();
  ASSERT_TRUE(told.ok()) << told;
  EXPECT_EQ(member.First(), 6);
}

// With ranks on other tasks: what is enqueued may fail.
class OtherRanks final : public GpuCommunicator {
 public:
  explicit OtherRanks(Status enqueued) : enqueued_(std::move(enqueued)) {}
  Status Enqueue(const GpuCall& call) override {
    EXPECT_EQ(call.source, 4);
    return enqueued_;
  }
  Status status() override { return OkStatus(); }
  void Abort() override {}

 private:
  const Status enqueued_;
};

// Gives its members to a communicator that spans tasks.
class GpuTasksOf final : public Collectives {
 public:
  explicit GpuTasksOf(GpuTasks tasks) : tasks_(std::move(tasks)) {}
  void Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) override {
    MeetingMember member = {std::move(call.member), &ctx, nullptr, std::move(done)};
    EXPECT_TRUE(MayMeetOnGpus(call, {&member}));
    MeetOnGpusOfTasks(call, {std::move(member)}, tasks_);
  }

 private:
  const GpuTasks tasks_;
};

class RendezvousOfGpus final : public Rendezvous {
 public:
  explicit RendezvousOfGpus(GpuTasks tasks) : tasks_(std::move(tasks)) {}
  Collectives* collectives() const override { return &tasks_; }

 private:
  mutable GpuTasksOf tasks_;
};

TEST_P(GpuMeetingTest, MembersAreToldWhatTheirTasksKnow) {
  int asked = 0;
  GpuTasks::Told answer;
  GpuTasks tasks;
  tasks.source = 4;
  tasks.explain = [&](const Status& why, bool names_who, const GpuTasks::Told& told) {
    EXPECT_EQ(why.message(), "no network");
    EXPECT_FALSE(names_who);
    ++asked;
    answer = told;
  };
  for (const bool fails : {true, false}) {
    tasks.communicator = std::make_shared<OtherRanks>(fails ? Internal("no network") : OkStatus());
    StepContext step(6, nullptr, nullptr, std::make_shared<RendezvousOfGpus>(tasks));
    Member member(gpus_[0].get(), &step);
    ASSERT_TRUE(member.Join(Sum("1"), 3).ok());
    if (fails) {
      ASSERT_NE(answer, nullptr);
      answer(Unavailable("task 1 has gone"));
    }
    const Status told = member.Wait();
    EXPECT_EQ(told, fails ? Unavailable("task 1 has gone") : OkStatus());
    ASSERT_TRUE(gpus_[0]->Synchronize().ok());
  }
  EXPECT_EQ(asked, 1);
}

INSTANTIATE_TEST_SUITE_P(Gpus, GpuMeetingTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Enqueue" : "OnStream"; });

}  // namespace
}  // namespace warpbeam
