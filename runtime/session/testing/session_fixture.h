// SessionTest: a graph of a handful of simple ops and a session that runs it, for tests.
//
//   TEST_F(SessionTest, AddsOne) {
//     Add("AddOne", "y", {Const("c", 1.0f)});
//     Open();
//     EXPECT_EQ(Value("y"), 2);
//   }
//
// Thread safety: none. Errors are failures of the test.
#ifndef WARPBEAM_RUNTIME_SESSION_TESTING_SESSION_FIXTURE_H_
#define WARPBEAM_RUNTIME_SESSION_TESTING_SESSION_FIXTURE_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {

// Until it is set, kernels of Stuck and Waits do not end.
extern std::atomic<bool> release_stuck;
// How often kernels of Stuck have begun, and those of AddOne and Big have run.
extern std::atomic<int> stuck_begun;
extern std::atomic<int> ran;

// Whether that holds within ten seconds.
inline bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 10000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class SessionTest : public ::testing::Test {
 protected:
  // The toy ops stand for work: none of it is to be done while a plan is compiled.
  void SetUp() override {
    release_stuck = false;
    options_.passes = "none";
  }
  void TearDown() override { release_stuck = true; }

  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                const std::string& device = "", std::vector<NodeId> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = device;
    if (op == "Merge") spec.attrs.Set("N", static_cast<int64_t>(inputs.size()));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  template <typename T>
  OutputRef Const(const std::string& name, T value, const std::string& device = "") {
    NodeSpec spec;
    spec.name = name;
    spec.op = "Const";
    spec.device = device;
    spec.attrs.Set("value", Tensor::Scalar(value));
    spec.attrs.Set("dtype", DTypeOf<T>::value);
    auto node = graph_->AddNode(std::move(spec), {}, {});
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets = {}, int64_t timeout_ms = 0) {
    RunOptions run;
    run.timeout_ms = timeout_ms;
    return session_->Run(run, feeds, fetches, targets, &out_, &metadata_);
  }
  float Value(const std::string& fetch, const NamedTensors& feeds = {}) {
    const Status s = Run(feeds, {fetch});
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out_[0].scalar<float>() : -1;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  RunMetadata metadata_;
};

// The same for what has to hold on simulated GPUs, whether they run kernels where they are called
// or enqueue them: TEST_P(GpuSessionTest, …), and WB_ON_BOTH_KINDS_OF_GPUS once in the program.
class GpuSessionTest : public SessionTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.simulated_gpus = 1;
    options_.simulated_gpus_enqueue = GetParam();
  }
};

#define WB_ON_BOTH_KINDS_OF_GPUS                                    \
  INSTANTIATE_TEST_SUITE_P(Gpus, GpuSessionTest, ::testing::Bool(), \
                           [](const auto& info) { return info.param ? "enqueue" : "run"; })

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_TESTING_SESSION_FIXTURE_H_
