// Steps that are cancelled, late or out of order at each of their nodes in turn: every run returns,
// leaks nothing, and the next one is right.
#include <atomic>
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"
#include "tests/runtime/probed_plan.h"

namespace warpbeam {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Code = StatusCode;

// A step that was told to end has to within this time, on a busy machine under a sanitizer, too.
constexpr auto kPromptly = std::chrono::seconds(10);

struct Scene {
  const char* name;
  SessionOptions options;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

OutputRef Built(NodeBuilder& builder) {
  auto made = builder.BuildOutput();
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *made : OutputRef();
}
OutputRef Constant(Graph* graph, Tensor value, const char* device = "") {
  auto made = AddConstant(graph, "const", std::move(value), device);
  EXPECT_TRUE(made.ok()) << made.status();
  return {(*made)->id(), 0};
}
OutputRef Unary(Graph* graph, const char* op, const char* name, OutputRef x,
                const char* device = "") {
  return Built(NodeBuilder(graph, op).Name(name).Input(x).Device(device));
}
OutputRef Binary(Graph* graph, const char* op, const char* name, OutputRef x, OutputRef y,
                 const char* device = "") {
  return Built(NodeBuilder(graph, op).Name(name).Input(x).Input(y).Device(device));
}

// i = 0; while i < 5: i = i + 1, with a square beside the loop.
Scene ALoop() {
  Scene s;
  s.name = "loop";
  s.options.passes = "none";
  Graph* g = s.graph.get();
  const auto enter = [&](OutputRef x, bool is_constant) {
    return Built(NodeBuilder(g, "Enter")
                     .Input(x)
                     .Attr("frame_name", std::string("loop"))
                     .Attr("is_constant", is_constant));
  };
  const OutputRef in = enter(Constant(g, Tensor::Scalar(0.0f)), false);
  const OutputRef merge = Built(NodeBuilder(g, "Merge").Input(std::vector<OutputRef>{in, in}));
  const OutputRef less =
      Binary(g, "Less", "less", merge, enter(Constant(g, Tensor::Scalar(5.0f)), true));
  const OutputRef cond = Unary(g, "LoopCond", "cond", less);
  const OutputRef sw = Binary(g, "Switch", "switch", merge, cond);
  const OutputRef body = Unary(g, "Identity", "body", {sw.node, 1});
  const OutputRef next =
      Binary(g, "AddV2", "next", body, enter(Constant(g, Tensor::Scalar(1.0f)), true));
  const OutputRef back = Unary(g, "NextIteration", "back", next);
  EXPECT_TRUE(g->SetInput(merge.node, 1, back).ok());
  const OutputRef exit = Unary(g, "Exit", "exit", sw);
  Binary(g, "AddV2", "out", exit, Unary(g, "Square", "square", Constant(g, Tensor::Scalar(3.0f))));
  s.fetches = {"out:0"};
  return s;
}

Scene ACond() {
  Scene s;
  s.name = "cond";
  s.options.passes = "none";
  Graph* g = s.graph.get();
  const OutputRef x = Unary(g, "Square", "x", Constant(g, Tensor::Scalar(3.0f)));
  const OutputRef is_big = Binary(g, "Greater", "is_big", x, Constant(g, Tensor::Scalar(5.0f)));
  const OutputRef sw = Binary(g, "Switch", "switch", x, is_big);
  const OutputRef no = Unary(g, "Neg", "no", Unary(g, "Neg", "no_1", sw));
  const OutputRef yes = Unary(g, "Square", "yes", {sw.node, 1});
  const OutputRef merged =
      Built(NodeBuilder(g, "Merge").Name("merged").Input(std::vector<OutputRef>{no, yes}));
  Binary(g, "AddV2", "out", merged, x);
  s.fetches = {"out:0"};
  return s;
}

// A dequeue that waits for an enqueue further down the same step.
Scene AQueue() {
  Scene s;
  s.name = "queue";
  s.options.passes = "none";
  Graph* g = s.graph.get();
  const OutputRef queue = Built(NodeBuilder(g, "FIFOQueueV2")
                                    .Name("queue")
                                    .Attr("component_types", std::vector<DType>{DType::kFloat}));
  const OutputRef taken = Built(NodeBuilder(g, "QueueDequeueV2")
                                    .Name("take")
                                    .Input(queue)
                                    .Attr("component_types", std::vector<DType>{DType::kFloat}));
  Unary(g, "Neg", "out", taken);
  OutputRef x = Constant(g, Tensor::Scalar(3.0f));
  for (const char* name : {"a", "b", "c"}) x = Unary(g, "Square", name, x);
  auto put = NodeBuilder(g, "QueueEnqueueV2")
                 .Name("put")
                 .Input(queue)
                 .Input(std::vector<OutputRef>{x})
                 .Build();
  EXPECT_TRUE(put.ok()) << put.status();
  s.fetches = {"out:0"};
  s.targets = {"put"};
  return s;
}

Scene TwoDevices() {
  Scene s;
  s.name = "two devices";
  s.options.passes = "none";
  s.options.simulated_gpus = 2;
  Graph* g = s.graph.get();
  OutputRef x = Unary(g, "Square", "start", Constant(g, Tensor::Scalar(3.0f), "/cpu:0"), "/cpu:0");
  const OutputRef a = Unary(g, "Square", "a", x, "/gpu:0");
  const OutputRef b = Unary(g, "Neg", "b", x, "/gpu:1");
  const OutputRef c = Binary(g, "AddV2", "c", a, b, "/gpu:1");
  const OutputRef d = Binary(g, "Mul", "d", c, x, "/cpu:0");
  Binary(g, "Sub", "out", d, a, "/cpu:0");
  s.fetches = {"out:0"};
  return s;
}

// Elementwise chains, which the passes make one node each.
Scene AFusedPlan() {
  Scene s;
  s.name = "fused plan";
  Graph* g = s.graph.get();
  std::vector<float> values(5000, 0.5f);
  const OutputRef v = Built(NodeBuilder(g, "RandomUniform")
                                .Input(Constant(g, Tensor::Vector<int32_t>({5000})))
                                .Attr("dtype", DType::kFloat)
                                .Attr("seed", int64_t{7}));
  OutputRef x = Unary(g, "ZerosLike", "zeros", v);
  x = Binary(g, "AddV2", "start", x, Constant(g, Tensor::Vector<float>(values)));
  for (int chain = 0; chain < 3; ++chain) {
    x = Unary(g, "Tanh", "tanh", Binary(g, "AddV2", "add", Unary(g, "Neg", "neg", x), x));
    x = Built(NodeBuilder(g, "Cumsum").Input(x).Input(Constant(g, Tensor::Scalar<int32_t>(0))));
  }
  Built(
      NodeBuilder(g, "Max").Name("out").Input(x).Input(Constant(g, Tensor::Vector<int32_t>({0}))));
  s.fetches = {"out:0"};
  return s;
}

NodeSpec Spec(std::string name, std::string op, std::vector<std::string> inputs,
              std::vector<std::pair<std::string, AttrValue>> attrs) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = std::move(op);
  spec.inputs = std::move(inputs);
  for (auto& attr : attrs) spec.attrs.Set(attr.first, attr.second);
  return spec;
}

// float → `result`, by one binary op with a constant between two probes.
void AddFunction(Graph* graph, const std::string& name, const std::string& op, float value,
                 DType result) {
  auto f = std::make_shared<Function>();
  const std::string type = result == DType::kBool ? "bool" : "float";
  f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: " + type).Build();
  const auto probe = int64_t{2} * static_cast<int64_t>(graph->functions().size());
  f->nodes = {Spec("before", "TestProbe", {"x"}, {{"T", DType::kFloat}, {"number", probe}}),
              Spec("c", "Const", {}, {{"value", Tensor::Scalar(value)}, {"dtype", DType::kFloat}}),
              Spec("z", op, {"before:y:0", "c:output:0"}, {{"T", DType::kFloat}}),
              Spec("after", "TestProbe", {"z:z:0"}, {{"T", result}, {"number", probe + 1}})};
  f->returns = {{"y", "after:y:0"}};
  EXPECT_TRUE(graph->functions().Add(f).ok());
}

Scene FunctionCalls() {
  Scene s;
  s.name = "function calls";
  s.options.passes = "none";
  Graph* g = s.graph.get();
  AddFunction(g, "twice", "Mul", 2, DType::kFloat);
  AddFunction(g, "plus_one", "AddV2", 1, DType::kFloat);
  AddFunction(g, "below_20", "Less", 20, DType::kBool);
  const OutputRef x = Unary(g, "Square", "x", Constant(g, Tensor::Scalar(2.0f)));
  const std::vector<DType> floats = {DType::kFloat};
  const OutputRef called = Built(NodeBuilder(g, "PartitionedCall")
                                     .Name("call")
                                     .Input(std::vector<OutputRef>{x})
                                     .Attr("Tout", floats)
                                     .Attr("f", FunctionRef{"twice", {}}));
  const OutputRef is_big = Binary(g, "Greater", "is_big", x, Constant(g, Tensor::Scalar(1.0f)));
  const OutputRef branch = Built(NodeBuilder(g, "If")
                                     .Name("if")
                                     .Input(is_big)
                                     .Input(std::vector<OutputRef>{called})
                                     .Attr("Tout", floats)
                                     .Attr("then_branch", FunctionRef{"plus_one", {}})
                                     .Attr("else_branch", FunctionRef{"twice", {}}));
  const OutputRef loop = Built(NodeBuilder(g, "While")
                                   .Name("while")
                                   .Input(std::vector<OutputRef>{branch})
                                   .Attr("cond", FunctionRef{"below_20", {}})
                                   .Attr("body", FunctionRef{"twice", {}}));
  Unary(g, "Neg", "out", loop);
  s.fetches = {"out:0"};
  return s;
}

std::vector<Scene> AllScenes() {
  std::vector<Scene> scenes;
  for (auto make : {ALoop, ACond, AQueue, TwoDevices, AFusedPlan, FunctionCalls}) {
    scenes.push_back(make());
  }
  return scenes;
}

// What is in use once the last step's threads have let go of what they held.
int64_t SettledBytes() {
  const auto in_use = [] { return PoolAllocator::Process().stats().bytes_in_use; };
  constexpr int kStill = 20;  // readings without a change
  int64_t last = in_use();
  for (int i = 0, still = 0; i < 400 && still < kStill; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const int64_t now = in_use();
    still = now == last ? still + 1 : 0;
    last = now;
  }
  return last;
}

// A scene, compiled, and what is right.
class Trial {
 public:
  explicit Trial(Scene scene) : scene_(std::move(scene)) {}

  void Open() {
    auto plan = ProbedPlan::Compile(scene_.options, scene_.graph, scene_.fetches, scene_.targets);
    ASSERT_TRUE(plan.ok()) << scene_.name << ": " << plan.status();
    plan_ = *std::move(plan);
    for (int i = 0; i < 2; ++i) {
      std::vector<Tensor> fetched;
      const Status s = plan_->Run(0, &fetched);
      ASSERT_TRUE(s.ok()) << scene_.name << ": " << s;
      expected_ = fetched[0].scalar<float>();
    }
    ASSERT_TRUE(plan_->IsIdle());
  }

  const Scene& scene() const { return scene_; }
  ProbedPlan& plan() { return *plan_; }
  // Whether the kernel of the last RunInterrupted was run at all.
  bool reached() const { return reached_; }

  // One run that `interrupt` is called in, by the first kernel behind probe k.
  Status RunInterrupted(int k, int64_t timeout_ms,
                        const std::function<void(KernelContext&)>& interrupt) {
    std::atomic<bool> reached{false};
    plan_->AtProbe([&](int probe, KernelContext& ctx) {
      if (probe == k && !reached.exchange(true)) interrupt(ctx);
    });
    std::vector<Tensor> fetched;
    const auto begin = Clock::now();
    const Status s = plan_->Run(timeout_ms, &fetched);
    EXPECT_LT(Clock::now() - begin, kPromptly);
    EXPECT_TRUE(plan_->IsIdle());
    plan_->AtProbe(nullptr);
    reached_ = reached;
    return s;
  }
  void ExpectRight(int64_t timeout_ms = 0) {
    std::vector<Tensor> fetched;
    const Status s = plan_->Run(timeout_ms, &fetched);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(fetched[0].scalar<float>(), expected_);
  }
  // Which of the nodes run, in any order; the branch not taken has no say.
  int CountInterruptions(const std::function<bool(int)>& interrupt_at) {
    int interrupted = 0;
    for (int k = 0; k < plan_->num_probes(); ++k) {
      SCOPED_TRACE(absl::StrCat(scene_.name, ", probe ", k, " ", plan_->Describe(k)));
      interrupted += interrupt_at(k) ? 1 : 0;
      ExpectRight();
      EXPECT_TRUE(plan_->IsIdle());
    }
    return interrupted;
  }

 private:
  const Scene scene_;
  std::unique_ptr<ProbedPlan> plan_;
  float expected_ = 0;
  bool reached_ = false;
};

// The trials, side by side: most of their time is waiting for deadlines.
void RunAll(const std::vector<Trial*>& trials, const std::function<void(Trial&)>& run) {
  std::vector<std::thread> threads;
  for (Trial* trial : trials) threads.emplace_back([trial, &run] { run(*trial); });
  for (std::thread& thread : threads) thread.join();
}

class InterruptedStep : public ::testing::TestWithParam<uint64_t> {
 protected:
  // Runs `run` for each scene, which must leave no memory behind.
  void ForEachScene(
      const std::function<void(Trial&)>& run,
      const std::function<bool(Scene*)>& change = [](Scene*) { return true; }) {
    std::vector<std::unique_ptr<Trial>> opened;
    std::vector<Trial*> all_freed, queues;
    for (Scene& scene : AllScenes()) {
      scene.options.stress_seed = GetParam();
      scene.options.use_per_session_threads =
          true;  // what blocks one scene's does not block another's
      if (!change(&scene)) continue;
      opened.push_back(std::make_unique<Trial>(std::move(scene)));
      ASSERT_NO_FATAL_FAILURE(opened.back()->Open());
      // What a queue was left is its own; nothing else may stay behind.
      (opened.back()->scene().targets.empty() ? all_freed : queues).push_back(opened.back().get());
    }
    const int64_t before = SettledBytes();
    RunAll(all_freed, run);
    EXPECT_EQ(SettledBytes(), before);
    RunAll(queues, run);
  }
};

TEST_P(InterruptedStep, CancelledAtEachNode) {
  ForEachScene([](Trial& trial) {
    for (const int64_t timeout_ms : {0, 60'000}) {  // in the caller's thread and on workers
      const int interrupted = trial.CountInterruptions([&](int k) {
        const Status s = trial.RunInterrupted(k, timeout_ms, [](KernelContext& ctx) {
          ctx.step()->Cancel(Cancelled("told to stop"));
        });
        if (!trial.reached()) return false;
        EXPECT_EQ(s.code(), Code::kCancelled) << s;
        EXPECT_THAT(std::string(s.message()), HasSubstr("told to stop"));
        return true;
      });
      EXPECT_GE(interrupted, 4) << trial.scene().name;
    }
  });
}

// Cancelled by another thread while the kernel runs.
TEST_P(InterruptedStep, CancelledWithinEachNode) {
  ForEachScene([](Trial& trial) {
    trial.CountInterruptions([&](int k) {
      std::thread other;
      const Status s = trial.RunInterrupted(k, 0, [&](KernelContext& ctx) {
        other = std::thread([step = ctx.step()] { step->Cancel(Cancelled("told to stop")); });
        while (!ctx.IsCancelled()) std::this_thread::yield();
      });
      if (!trial.reached()) return false;
      other.join();
      EXPECT_EQ(s.code(), Code::kCancelled) << s;
      return true;
    });
  });
}

TEST_P(InterruptedStep, LateAtEachNode) {
  ForEachScene([](Trial& trial) {
    const int late = trial.CountInterruptions([&](int k) {
      const Status s = trial.RunInterrupted(k, 200, [](KernelContext& ctx) {
        while (!ctx.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      if (!trial.reached()) return false;
      EXPECT_EQ(s.code(), Code::kDeadlineExceeded) << s;
      // A probe in a function is known by the node that calls the function.
      const std::string node = trial.plan().Describe(k);
      ::testing::Matcher<std::string> names_it = HasSubstr(node);
      if (node.empty())
        names_it = AnyOf(HasSubstr("'call'"), HasSubstr("'if'"), HasSubstr("'while'"));
      EXPECT_THAT(std::string(s.message()), names_it);
      return true;
    });
    EXPECT_GE(late, 4) << trial.scene().name;
  });
}

// Kernels that do not end when they are told to: the step is left behind, the next one runs.
TEST_P(InterruptedStep, LeftBehindAtEachNode) {
  if (GetParam() != 0) GTEST_SKIP() << "the order of nodes makes no difference here";
  const auto change = [](Scene* scene) {
    scene->options.intra_op_threads = 2;
    // A GPU's stream runs one thing after the other: what blocks it blocks it for every step.
    return scene->options.simulated_gpus == 0;
  };
  const auto run = [](Trial& trial) {
    int left_behind = 0;
    for (int k = 0; k < trial.plan().num_probes(); ++k) {
      SCOPED_TRACE(absl::StrCat(trial.scene().name, ", probe ", k, " ", trial.plan().Describe(k)));
      std::atomic<bool> reached{false}, release{false};
      trial.plan().AtProbe([&](int probe, KernelContext&) {
        if (probe != k || reached.exchange(true)) return;
        while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      std::vector<Tensor> fetched;
      const Status late = trial.plan().Run(60, &fetched);
      if (reached) {
        ++left_behind;
        EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
        EXPECT_THAT(std::string(late.message()), HasSubstr("left behind"));
        trial.ExpectRight(20'000);
      }
      release = true;
      EXPECT_TRUE(trial.plan().IsIdle());
      trial.plan().AtProbe(nullptr);
    }
    EXPECT_GE(left_behind, 4) << trial.scene().name;
  };
  ForEachScene(run, change);
}

INSTANTIATE_TEST_SUITE_P(Schedules, InterruptedStep, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace warpbeam
