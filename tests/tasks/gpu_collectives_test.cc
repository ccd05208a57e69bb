// Collectives whose members are on GPUs of several tasks: what they get is what members on CPUs
// get, from GPU to GPU where there are real ones, else through host memory. Numbers are chosen so
// that sums are exact in any order.
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "frontend/build.h"
#include "runtime/device/gpu_platform.h"
#include "tests/tasks/collectives_fixture.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr int kMembers = 4;  // two on each of two tasks

// Tasks of one process have the same GPUs: members that are to have their own have other numbers.
std::string GpuOf(int task, int gpu) { return absl::StrCat(WorkerName(task), "/device:GPU:", gpu); }

using MakeMember = std::function<Output(const Scope& at, int member, const Output& x)>;

struct Kind {
  std::string name;
  MakeMember make;
  bool is_sum = true;  // of what there is arithmetic for
};

Output Communicator(const Scope& at, int rank) {
  return ops::CollectiveInitializeCommunicator(at, Constant(at, 5), Constant(at, rank),
                                               Constant(at, kMembers));
}
Output NoSubgroups(const Scope& at) {
  return Constant(at, Tensor::FromValues<int32_t>(Shape({0, 0}), {}));
}

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds;
  const auto size = [](const Scope& at) { return Constant(at, kMembers); };
  const auto key = [](const Scope& at) { return Constant(at, 1); };
  for (const std::string merge : {"Add", "Mul", "Min", "Max"}) {
    kinds.push_back({"Reduce" + merge, [=](const Scope& at, int, const Output& x) {
                       return ops::CollectiveReduceV2(at, x, size(at), key(at), key(at), {}, merge,
                                                      merge == "Add" ? "Div" : "Id");
                     }});
    kinds.push_back({"ReduceScatter" + merge, [=](const Scope& at, int, const Output& x) {
                       return ops::CollectiveReduceScatterV2(at, x, size(at), key(at), key(at), {},
                                                             merge, merge == "Add" ? "Div" : "Id");
                     }});
    kinds.push_back({"ReduceV3" + merge, [=](const Scope& at, int member, const Output& x) {
                       return ops::CollectiveReduceV3(at, x, Communicator(at, member),
                                                      NoSubgroups(at), merge);
                     }});
  }
  kinds.push_back({"AllToAll", [=](const Scope& at, int, const Output& x) {
                     return ops::CollectiveAllToAllV2(at, x, size(at), key(at), key(at), {});
                   }});
  // Ranks in another order than the devices.
  for (const int rotation : {0, 1}) {
    kinds.push_back(
        {absl::StrCat("AllToAllV3", rotation), [=](const Scope& at, int member, const Output& x) {
           const Output communicator = Communicator(at, (member + rotation) % kMembers);
           return ops::CollectiveAllToAllV3(at, x, communicator, NoSubgroups(at));
         }});
  }
  kinds.push_back({"Subgroups", [=](const Scope& at, int member, const Output& x) {
                     const Tensor rows = Tensor::FromValues<int32_t>(Shape({2, 2}), {0, 3, 2, 1});
                     return ops::CollectiveReduceV3(at, x, Communicator(at, member),
                                                    Constant(at, rows), "Add");
                   }});
  kinds.push_back({"Gather",
                   [=](const Scope& at, int, const Output& x) {
                     return ops::CollectiveGatherV2(at, x, size(at), key(at), key(at), {});
                   },
                   false});
  for (const int source : {0, 3}) {
    kinds.push_back({absl::StrCat("Broadcast", source),
                     [=](const Scope& at, int member, const Output& x) {
                       if (member == source) {
                         return ops::CollectiveBcastSendV2(at, x, size(at), key(at), key(at));
                       }
                       return ops::CollectiveBcastRecvV2(at, size(at), key(at), key(at),
                                                         Constant(at, {4, 50}), x.dtype());
                     },
                     false});
  }
  return kinds;
}

class GpuCollectivesTest : public TaskCollectivesTest {
 protected:
  void SetUp() override {
    SessionOptions options;
    options.cpu_devices = 2;
    const GpuPlatform* const gpus = RegisteredGpuPlatform();
    if (gpus == nullptr || gpus->count().value_or(0) < kMembers) {
      options.gpus = 0;
      options.simulated_gpus = kMembers;
      options.simulated_gpu_memory = 16 << 20;
    }
    StartTasks(2, options);
  }
  StatusOr<std::vector<Tensor>> Run(const Kind& kind, DType dtype, bool on_gpus) {
    const Scope root = Scope::NewRoot();
    std::vector<std::string> fetches;
    for (int m = 0; m < kMembers; ++m) {
      const std::string cpu = absl::StrCat(WorkerName(m / 2), "/device:CPU:", m % 2);
      const Scope at = root.Device(on_gpus ? GpuOf(m / 2, m) : cpu);
      constexpr float kNumbers[] = {1, 2, 3, 4, 2};
      std::vector<float> values(200);
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = kNumbers[(i * 7 + static_cast<size_t>(m)) % 5];
      }
      const Output x = BuildOutput(at, "Cast", {Tensor::FromValues<float>(Shape({4, 50}), values)},
                                   OpAttrs().Set("DstT", dtype));
      const Output y = kind.make(at, m, BuildOutput(at, "Neg", {x}));
      BuildOutput(at.Named(absl::StrCat("y", m)), "Neg", {y});
      fetches.push_back(absl::StrCat("y", m, ":0"));
    }
    const auto session = Open(root);
    std::vector<Tensor> out;
    for (int time = 0; time < 2; ++time) {
      WB_ASSIGN_OR_RETURN(out, Fetch(*session, fetches));
    }
    return out;
  }
};

TEST_F(GpuCollectivesTest, MembersOfTasksGetWhatThoseOnCpusGet) {
  for (const Kind& kind : Kinds()) {
    for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16,
                              DType::kInt32, DType::kInt64}) {
      if (!kind.is_sum && dtype == DType::kBFloat16) continue;  // TensorFlow's have none
      SCOPED_TRACE(kind.name + " " + std::string(DTypeName(dtype)));
      const auto want = Run(kind, dtype, /*on_gpus=*/false);
      const auto got = Run(kind, dtype, /*on_gpus=*/true);
      ASSERT_TRUE(want.ok()) << want.status();
      ASSERT_TRUE(got.ok()) << got.status();
      for (size_t m = 0; m < kMembers; ++m) {
        ASSERT_EQ((*got)[m].shape(), (*want)[m].shape()) << m;
        EXPECT_EQ(memcmp(std::as_const((*got)[m]).raw_data(), std::as_const((*want)[m]).raw_data(),
                         (*want)[m].bytes()),
                  0)
            << m;
      }
    }
  }
}

// Two on one GPU, one on a CPU: through host memory.
TEST_F(GpuCollectivesTest, MembersThatShareAGpuAndOnesOnCpus) {
  for (const std::vector<std::string>& devices :
       {std::vector<std::string>{GpuOf(0, 0), GpuOf(0, 0), GpuOf(1, 1)},
        {GpuOf(0, 0), GpuOf(1, 0)},
        {GpuOf(0, 0), absl::StrCat(WorkerName(1), "/device:CPU:0"), GpuOf(1, 2)}}) {
    const Scope root = Scope::NewRoot();
    std::vector<std::string> fetches;
    for (size_t m = 0; m < devices.size(); ++m) {
      const Scope at = root.Device(devices[m]);
      Sum(at, absl::StrCat("y", m), Constant(at, static_cast<float>(1 << m)),
          static_cast<int>(devices.size()), 1);
      fetches.push_back(absl::StrCat("y", m, ":0"));
    }
    const auto session = Open(root);
    for (int step = 0; step < 3; ++step) {
      const auto sums = Fetch(*session, fetches);
      ASSERT_TRUE(sums.ok()) << sums.status();
      for (const Tensor& sum : *sums) {
        EXPECT_EQ(sum.scalar<float>(), static_cast<float>((1 << devices.size()) - 1));
      }
    }
  }
}

// Several steps at a time, each with several collectives, which tasks come to in any order.
TEST_F(GpuCollectivesTest, StepsSideBySide) {
  constexpr int kInstances = 6, kThreads = 3;
  const Scope root = Scope::NewRoot();
  std::vector<std::string> fetches;
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape({3}));
  for (int i = 0; i < kInstances; ++i) {
    for (int m = 0; m < kMembers; ++m) {
      const Scope at = root.Device(GpuOf(m / 2, m));
      const Output own = Multiply(at, x, static_cast<float>(m + 1));
      Sum(at, absl::StrCat("y", i, "_", m), Multiply(at, own, static_cast<float>(i + 1)), kMembers,
          i + 1);
      fetches.push_back(absl::StrCat("y", i, "_", m, ":0"));
    }
  }
  const auto session = Open(root);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int step = 0; step < 5; ++step) {
        const auto value = static_cast<float>(10 * t + step);
        const auto out = Fetch(*session, fetches, {{"x:0", Tensor::Vector({value, 1.0f, value})}});
        ASSERT_TRUE(out.ok()) << out.status();
        for (size_t i = 0; i < out->size(); ++i) {
          const auto instance = static_cast<float>(i / kMembers + 1);
          EXPECT_EQ((*out)[i].data<float>()[2], 10 * instance * value);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The whole group is on one task: its members need no other.
TEST_F(GpuCollectivesTest, MembersOfOneTaskOfSeveral) {
  const Scope root = Scope::NewRoot();
  for (int m = 0; m < 2; ++m) {
    const Scope at = root.Device(GpuOf(1, m));
    Sum(at, absl::StrCat("y", m), Constant(at, static_cast<float>(m + 1)), 2, 1);
  }
  const auto session = Open(root);
  for (int step = 0; step < 3; ++step) {
    const auto sums = Fetch(*session, {"y0:0", "y1:0"});
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_EQ((*sums)[0].scalar<float>(), 3);
    EXPECT_EQ((*sums)[1].scalar<float>(), 3);
  }
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
