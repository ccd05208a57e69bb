// Calls of library functions from several threads: what has been compiled is called while something
// else is compiled.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "absl/strings/str_cat.h"
#include "graph/build/node_builder.h"
#include "graph/graph.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

std::atomic<bool> is_being_made{false};
std::atomic<bool> may_be_made{false};

// A kernel that takes as long to make as its test wants.
class MadeSlowly final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    is_being_made = true;
    while (!may_be_made) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::make_unique<MadeSlowly>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};
WB_OP("MadeSlowly").Input("x: float").Output("y: float").Stateful();
WB_KERNEL("MadeSlowly", MadeSlowly).Cpu();

class FunctionCallsTest : public ::testing::Test {
 protected:
  void Define(const std::string& name, const std::string& op) {
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: float").Build();
    NodeSpec node;
    node.name = "node";
    node.op = op;
    node.inputs = {"x"};
    if (op == "Neg") node.attrs.Set("T", DType::kFloat);
    f->nodes = {node};
    f->returns = {{"y", "node:y:0"}};
    ASSERT_TRUE(graph_->functions().Add(f).ok());
  }
  void Call(const std::string& name, const std::string& function) {
    ASSERT_TRUE(NodeBuilder(graph_.get(), "PartitionedCall")
                    .Name(name)
                    .Input(std::vector<OutputRef>{x_})
                    .Attr("Tin", std::vector<DType>{DType::kFloat})
                    .Attr("Tout", std::vector<DType>{DType::kFloat})
                    .Attr("f", FunctionRef{function, {}})
                    .Build()
                    .ok());
  }
  Status Run(const std::string& fetch) {
    std::vector<Tensor> out;
    RunOptions options;
    options.timeout_ms = 20'000;
    return session_->Run(options, {{"x", Tensor::Scalar(2.0f)}}, {fetch}, {}, &out);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  OutputRef x_ = *NodeBuilder(graph_.get(), "Placeholder")
                      .Name("x")
                      .Attr("dtype", DType::kFloat)
                      .BuildOutput();
  std::unique_ptr<Session> session_;
};

TEST_F(FunctionCallsTest, DoNotWaitForCompilationsOfOthers) {
  Define("negated", "Neg");
  Define("made_slowly", "MadeSlowly");
  Call("first", "negated");
  Call("again", "negated");
  Call("slow", "made_slowly");
  SessionOptions options;
  options.passes = "none";
  options.intra_op_threads = 4;  // the slow call has one of them all the while
  auto session = Session::Create(options, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  ASSERT_TRUE(Run("first").ok());
  std::future<Status> slow = std::async(std::launch::async, [&] { return Run("slow"); });
  while (!is_being_made) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Status again = Run("again");
  may_be_made = true;
  EXPECT_TRUE(again.ok()) << again;
  const Status made = slow.get();
  EXPECT_TRUE(made.ok()) << made;
}

}  // namespace
}  // namespace warpbeam
