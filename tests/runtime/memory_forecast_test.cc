// What steps are predicted to need of memory, beside what they need, and steps that are refused.
#include <cstring>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/session/session.h"
#include "runtime/session/task_group.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

class MemoryForecastTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.passes = "none";
    options_.memory_forecast = MemoryForecastUse::kAdmit;
  }
  void TearDown() override {
    session_ = nullptr;
    PoolAllocator::Process().set_limit(0);
  }

  // A chain of `length` products of the fed x, whose batch is not known, with a matrix of 256 by
  // 256; the sum needs all of them.
  void Build(const std::string& device, int length) {
    auto x = NodeBuilder(graph_.get(), "Placeholder")
                 .Name("x")
                 .Device("/cpu:0")
                 .Attr("dtype", DType::kFloat)
                 .Attr("shape", PartialShape({-1, 256}))
                 .BuildOutput();
    ASSERT_TRUE(x.ok()) << x.status();
    const Tensor ones = *Tensor::Allocate(DType::kFloat, {256, 256});
    memset(const_cast<void*>(ones.raw_data()), 0, ones.bytes());
    const OutputRef w = {(*AddConstant(graph_.get(), "w", ones, device))->id(), 0};
    std::vector<OutputRef> all;
    OutputRef last = *x;
    for (int i = 0; i < length; ++i) {
      auto y = NodeBuilder(graph_.get(), "MatMul")
                   .Name(absl::StrCat("y", i))
                   .Device(device)
                   .Input(last)
                   .Input(w)
                   .BuildOutput();
      ASSERT_TRUE(y.ok()) << y.status();
      all.push_back(last = *y);
    }
    auto sum =
        NodeBuilder(graph_.get(), "AddN").Name("sum").Device(device).Input(all).BuildOutput();
    ASSERT_TRUE(sum.ok()) << sum.status();
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(int64_t batch, bool cost_graph = false) {
    const Tensor x = *Tensor::Allocate(DType::kFloat, {batch, 256});
    memset(const_cast<void*>(x.raw_data()), 0, x.bytes());
    RunOptions run;
    run.memory = true;
    run.cost_graph = cost_graph;
    metadata_ = RunMetadata();
    return session_->Run(run, {{"x", x}}, {"sum"}, {}, &out_, &metadata_);
  }
  const DeviceMemory& Of(const std::string& device) const {
    for (const DeviceMemory& memory : metadata_.memory) {
      if (memory.device == device) return memory;
    }
    ADD_FAILURE() << device;
    return metadata_.memory[0];
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  RunMetadata metadata_;
};

TEST_F(MemoryForecastTest, StepsThatWillNotFitAreRefusedByWhatIsFed) {
  options_.simulated_gpus = 1;
  options_.simulated_gpu_memory = 16 * kMiB;
  Build("/gpu:0", 4);
  Open();
  // A row is 1 KiB: four products and the sum are 5 MiB, and the matrix a quarter of one.
  ASSERT_TRUE(Run(1024).ok());
  EXPECT_NEAR(static_cast<double>(Of(kGpu).predicted_peak_bytes), 5.25 * kMiB, 0.1 * kMiB);
  EXPECT_EQ(Of(kGpu).limit_bytes, 16 * kMiB);
  EXPECT_GE(Of(kGpu).peak_bytes, 4 * kMiB) << "the sum may lie in one of the products";
  EXPECT_LE(Of(kGpu).peak_bytes, Of(kGpu).predicted_peak_bytes + kMiB / 4);
  const Status s = Run(4096);
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted) << s;
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("the step is predicted not to fit into memory: '"), HasSubstr(kGpu),
                    HasSubstr("' would need 2"), HasSubstr("MiB of 16 MiB"),
                    HasSubstr("'y0:0' (4.0 MiB)"), HasSubstr("Feed less at a time")));
  EXPECT_TRUE(Run(512).ok()) << "the session goes on";
}

TEST_F(MemoryForecastTest, TheHostsMemoryCountsAsTheAllocatorHandsItOut) {
  options_.memory_forecast = MemoryForecastUse::kTell;
  Build("/cpu:0", 4);
  Open();
  // 1,100 KiB are kept in 1,280.
  ASSERT_TRUE(Run(1100).ok());
  ASSERT_EQ(metadata_.memory.size(), 1u);
  const double block = 1280 * 1024.0;
  EXPECT_NEAR(static_cast<double>(Of(kCpu).predicted_peak_bytes), 6 * block, kMiB / 2);
  EXPECT_GE(static_cast<double>(Of(kCpu).peak_bytes), 4 * block);
  // Whoever is only told is not refused, until there is no memory.
  PoolAllocator::Process().set_limit(PoolAllocator::Process().stats().bytes_in_use + 4 * kMiB);
  const Status s = Run(1100);
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(s.message()), ::testing::Not(HasSubstr("predicted")));
}

TEST_F(MemoryForecastTest, WithoutAForecastThePeakIsTold) {
  options_.memory_forecast = MemoryForecastUse::kNone;
  Build("/cpu:0", 2);
  Open();
  ASSERT_TRUE(Run(1024).ok());
  EXPECT_EQ(Of(kCpu).predicted_peak_bytes, -1);
  EXPECT_GE(Of(kCpu).peak_bytes, 2 * kMiB);
}

TEST_F(MemoryForecastTest, StepsOfSeveralTasksAreForeseenForEachMemory) {
  options_.simulated_gpus = 1;
  options_.simulated_gpu_memory = 16 * kMiB;
  Build("/job:ps/task:0/gpu:0", 4);
  TaskGroupOptions group;
  group.tasks = {{"worker", 0}, {"ps", 0}};
  group.session = options_;
  auto session = NewTaskGroupSession(group, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  ASSERT_TRUE(Run(1024).ok());
  constexpr char kThere[] = "/job:ps/replica:0/task:0/device:GPU:0";
  EXPECT_NEAR(static_cast<double>(Of(kThere).predicted_peak_bytes), 5.25 * kMiB, 0.1 * kMiB)
      << "as above; the copy of what is fed has been read by then";
  EXPECT_EQ(Of(kThere).limit_bytes, 16 * kMiB);
  EXPECT_EQ(Of(kThere).peak_bytes, -1) << "that is not told";
  EXPECT_GE(Of("/job:worker/replica:0/task:0/device:CPU:0").predicted_peak_bytes, kMiB);
  const Status s = Run(4096);
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted) << s;
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr(kThere), HasSubstr("MiB of 16 MiB"), HasSubstr("'y0:0' (4.0 MiB)")));
}

TEST_F(MemoryForecastTest, TheCostGraphHasBothAsTotals) {
  Build("/cpu:0", 2);
  Open();
  ASSERT_TRUE(Run(1024, /*cost_graph=*/true).ok());
  std::map<std::string, int64_t> totals(metadata_.cost_graph.totals.begin(),
                                        metadata_.cost_graph.totals.end());
  EXPECT_EQ(totals[absl::StrCat("peak bytes of ", kCpu)], Of(kCpu).peak_bytes);
  EXPECT_EQ(totals[absl::StrCat("predicted peak bytes of ", kCpu)], Of(kCpu).predicted_peak_bytes);
}

TEST_F(MemoryForecastTest, PartialRunsAndCallablesAreRefusedToo) {
  options_.simulated_gpus = 1;
  options_.simulated_gpu_memory = kMiB / 2;
  Build("/gpu:0", 8);
  Open();
  EXPECT_EQ(session_->PartialRunSetup({"x"}, {"sum"}, {}).status().code(),
            StatusCode::kResourceExhausted)
      << "32 rows of unknown batch, ten times, and the matrix";
  CallableOptions callable;
  callable.feeds = {"x"};
  callable.fetches = {"sum"};
  const auto handle = session_->MakeCallable(callable);
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Tensor x = *Tensor::Allocate(DType::kFloat, {256, 256});
  EXPECT_EQ(session_->RunCallable(*handle, {x}, &out_).code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace warpbeam
