// StepTest: plans of nodes whose kernels are functions of the test, so that it decides when each
// ends, on which thread, and with what.
//
//   TEST_F(StepTest, ...) {
//     const OutputRef a = Scripted("a", {}, [](KernelContext& ctx) { return Give(ctx, 1); });
//     Awaited("b", {a}, [&](KernelContext& ctx, Kernel::Done done) { … });   // asynchronous
//     Compile({"b:0"});
//     ASSERT_TRUE(Run().ok());
//   }
//
// A scripted node takes any number of floats and gives one. How large it says that its value is
// decides how it is scheduled, whatever its kernel does: a node that is `kDear` is worth a thread
// of its own, and where one says nothing what it reads tells, which is only known when it has come.
//
// Ownership: scripts live as long as the test. Thread safety: kernels call scripts from any thread.
// Errors: failures of the test.
#ifndef WARPBEAM_TESTS_STEP_SCRIPTED_STEPS_H_
#define WARPBEAM_TESTS_STEP_SCRIPTED_STEPS_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/session/session.h"
#include "tests/runtime/probed_plan.h"

namespace warpbeam {

// Output 0 becomes the scalar.
Status Give(KernelContext& ctx, float value);
// The sum of all inputs that are floats.
float SumOfInputs(const KernelContext& ctx);
// Gives the sum of the inputs and one.
Status CountUp(KernelContext& ctx);

// Waits for what other threads do, and not for ever.
class Gate {
 public:
  void Open() {
    std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  // Whether it was opened in time.
  bool Wait(int64_t timeout_ms = 20'000) {
    std::unique_lock<std::mutex> lock(mutex_);
    return opened_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// Texts that kernels add, in their order.
class Log {
 public:
  void Add(std::string text) {
    std::lock_guard<std::mutex> lock(mutex_);
    lines_.push_back(std::move(text));
  }
  std::vector<std::string> Take() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::move(lines_);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class StepTest : public ::testing::Test {
 public:
  using Script = std::function<Status(KernelContext& ctx)>;
  using AsyncScript = std::function<void(KernelContext& ctx, Kernel::Done done)>;

 protected:
  // Elements.
  static constexpr int64_t kUnsaid = 0, kScalar = 1, kDear = int64_t{1} << 30;

  StepTest();
  ~StepTest() override;

  OutputRef Node(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                 const std::vector<NodeId>& controls = {}, const std::string& device = "");
  OutputRef Constant(const std::string& name, Tensor value);
  OutputRef Merge(const std::string& name, const std::vector<OutputRef>& inputs,
                  const std::vector<NodeId>& controls = {});
  // `elements`: how many the value says that it has.
  OutputRef Scripted(const std::string& name, std::vector<OutputRef> inputs, Script script,
                     const std::vector<NodeId>& controls = {}, int64_t elements = kScalar);
  OutputRef Awaited(const std::string& name, std::vector<OutputRef> inputs, AsyncScript script,
                    const std::vector<NodeId>& controls = {});

  // A loop: `body` gets the variable and gives its next value; goes on while `goes_on` of it holds.
  struct LoopSpec {
    std::string frame = "loop";
    OutputRef start;
    int64_t parallel_iterations = 10;
    std::function<OutputRef(OutputRef merge)> goes_on;
    std::function<OutputRef(OutputRef body)> body;
  };
  OutputRef Loop(const LoopSpec& spec);  // its Exit
  OutputRef Enter(OutputRef x, const std::string& frame, bool is_constant,
                  int64_t parallel_iterations = 10);

  void Compile(const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets = {},
               const std::vector<std::string>& feeds = {});
  Status Run(int64_t timeout_ms = 0) { return plan_->Run(timeout_ms, &fetched_); }
  // Runs the step and expects it to fetch these scalars.
  void ExpectRun(const std::vector<float>& values, int64_t timeout_ms = 0);

  Graph* graph() { return graph_.get(); }

  SessionOptions options_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<ProbedPlan> plan_;
  std::vector<Tensor> fetched_;

 private:
  OutputRef Built(NodeBuilder& builder);
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_STEP_SCRIPTED_STEPS_H_
