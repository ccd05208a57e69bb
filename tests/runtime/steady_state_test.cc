// How much memory code of this project asks for in steps that have been run for a while: nothing,
// but for what is named at the tests. What libraries allocate is counted and printed.
#include <functional>
#include <iostream>
#include <memory>

#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/runtime/allocation_counter.h"

namespace warpbeam {
namespace {

class SteadyState : public ::testing::Test {
 protected:
  void Open(const std::string& name, int devices, const std::vector<std::string>& init) {
    auto graph = std::make_shared<Graph>();
    const Status imported =
        ImportGraphFile("tools/benchmarks/graphs/" + name, ImportOptions(), graph.get());
    ASSERT_TRUE(imported.ok()) << imported;
    options_.cpu_devices = devices;
    auto session = Session::Create(options_, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    for (const std::string& target : init) {
      const Status ran = session_->Run(RunOptions(), {}, {}, {target}, nullptr);
      ASSERT_TRUE(ran.ok()) << ran;
    }
  }
  static Tensor Filled(const Shape& shape, const std::function<float(int64_t)>& value) {
    std::vector<float> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(value(i));
    return Tensor::FromValues<float>(shape, values);
  }
  // What grows only up to what it once needed (caches of threads, queues) may take its time: one
  // window of steps must keep to `allowed` allocations a step, and to one in twenty steps for the
  // memory pool, whose caches go on growing as long as threads trade tensors.
  static void ExpectAtMost(int allowed, int steps, const std::function<Status()>& step) {
    const int64_t limit = int64_t{allowed} * steps + steps / 20;
    constexpr int kWindows = 10;
    std::vector<AllocationSite> sites;
    int64_t ours = limit + 1;
    for (int w = 0; w < kWindows && ours > limit; ++w) {
      Status ran;
      AllocationCounter::Start();
      for (int i = 0; i < steps && ran.ok(); ++i) ran = step();
      sites = AllocationCounter::Stop();
      ASSERT_TRUE(ran.ok()) << ran;
      ours = 0;
      for (const AllocationSite& site : sites) ours += site.ours ? site.count : 0;
    }
    EXPECT_LE(ours, limit) << "in " << steps << " steps";
    int64_t of_libraries = 0;
    for (const AllocationSite& site : sites) {
      of_libraries += site.ours ? 0 : site.count;
      std::cout << site.ToString();
    }
    std::cout << "in " << steps << " steps: " << ours << " allocations of ours, " << of_libraries
              << " of libraries\n";
  }
  void ExpectNoneInRun(int steps, const NamedTensors& feeds,
                       const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets, const RunOptions& run = {}) {
    ExpectAtMost(0, steps, [&] { return session_->Run(run, feeds, fetches, targets, &fetched_); });
  }
  void ExpectNoneInTraining() {
    const std::vector<std::string> fetches = {"GPU_1/add:0", "global_step:0"}, targets = {"train"};
    ExpectAtMost(0, 200, [&] { return session_->Run({}, {}, fetches, targets, &fetched_); });
  }

  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> fetched_;
};

TEST(AllocationCounter, SeesWhatIsAllocated) {
  AllocationCounter::Start();
  int* volatile block = new int[1000];
  const std::vector<AllocationSite> sites = AllocationCounter::Stop();
  delete[] block;
  int64_t bytes = 0;
  for (const AllocationSite& site : sites) {
    EXPECT_TRUE(site.ours) << site.ToString();
    EXPECT_NE(site.ToString().find("SeesWhatIsAllocated"), std::string::npos) << site.ToString();
    bytes += site.bytes;
  }
  EXPECT_GE(bytes, 4000);
}

TEST_F(SteadyState, TwoTowersOfAnMlp) {
  Open("mlp_t2.pb", 2, {"init"});
  ExpectNoneInTraining();
}

TEST_F(SteadyState, TwoTowersOfAnMlpWithoutPasses) {
  options_.passes = "none";
  Open("mlp_t2.pb", 2, {"init"});
  ExpectNoneInTraining();
}

TEST_F(SteadyState, ALoop) {
  for (const char* passes : {"default", "none"}) {
    options_.passes = passes;
    Open("while_v1.pb", 1, {});
    ExpectNoneInRun(5, {}, {"while/Exit:0"}, {});
  }
}

TEST_F(SteadyState, ALoopInALoop) {
  options_.passes = "none";
  Open("while_v1_nested.pb", 1, {});
  ExpectNoneInRun(5, {}, {"out:0"}, {});
}

TEST_F(SteadyState, AFedStep) {
  const Tensor x = Filled({100, 784}, [](int64_t i) { return static_cast<float>(i % 255) / 255; });
  const Tensor y = Filled({100, 10}, [](int64_t i) { return i % 10 == i / 10 % 10 ? 1.0f : 0.0f; });
  const std::vector<std::string> fetches = {"Neg:0", "global_step:0"};
  for (const char* passes : {"default", "none"}) {
    options_.passes = passes;
    Open("softmax_adam.pb", 1, {"init"});
    ExpectNoneInRun(200, {{"x:0", x}, {"y:0", y}}, fetches, {"train"});
    // With a deadline, a step runs on workers.
    RunOptions late;
    late.timeout_ms = 60'000;
    ExpectNoneInRun(200, {{"x:0", x}, {"y:0", y}}, fetches, {"train"}, late);
    CallableOptions step;
    step.feeds = {"x:0", "y:0"};
    step.fetches = fetches;
    step.targets = {"train"};
    const auto handle = session_->MakeCallable(step);
    ASSERT_TRUE(handle.ok()) << handle.status();
    const std::vector<Tensor> feeds = {x, y};
    ExpectAtMost(0, 200, [&] { return session_->RunCallable(*handle, feeds, &fetched_); });
  }
}

}  // namespace
}  // namespace warpbeam
