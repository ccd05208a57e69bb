#include "tests/step/scripted_steps.h"

#include <map>
#include <utility>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The scripts of the test that runs, by the names of their nodes.
struct Scripts {
  std::mutex mutex;
  std::map<std::string, StepTest::Script> scripts;
  std::map<std::string, StepTest::AsyncScript> async_scripts;

  static Scripts& All() {
    static auto* const all = new Scripts;
    return *all;
  }
};

class ScriptedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    std::lock_guard<std::mutex> lock(Scripts::All().mutex);
    auto kernel = std::make_unique<ScriptedKernel>();
    kernel->script_ = Scripts::All().scripts[init.node_name];
    return kernel;
  }
  Status Compute(KernelContext& ctx) override { return script_(ctx); }

 private:
  StepTest::Script script_;
};

class AwaitedKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    std::lock_guard<std::mutex> lock(Scripts::All().mutex);
    auto kernel = std::make_unique<AwaitedKernel>();
    kernel->script_ = Scripts::All().async_scripts[init.node_name];
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override { script_(ctx, std::move(done)); }

 private:
  StepTest::AsyncScript script_;
};

Status ClaimedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t elements, c.attr<int64_t>("elements"));
  if (elements == 1) c.set_output(0, PartialShape(Shape()));
  if (elements > 1) c.set_output(0, PartialShape({elements}));
  return OkStatus();
}

WB_OP("TestScripted")
    .Input("x: N * float")
    .Output("y: float")
    .Attr("N: int >= 0")
    .Attr("elements: int = 0")
    .Stateful()
    .Shape(ClaimedShape);
WB_OP("TestAwaited")
    .Input("x: N * float")
    .Output("y: float")
    .Attr("N: int >= 0")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("TestScripted", ScriptedKernel).Cpu().Gpu();
WB_KERNEL("TestAwaited", AwaitedKernel).Cpu().Async();

}  // namespace

Status Give(KernelContext& ctx, float value) {
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
  *y->data<float>() = value;
  return OkStatus();
}

float SumOfInputs(const KernelContext& ctx) {
  float sum = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) sum += *ctx.input(i).data<float>();
  return sum;
}

Status CountUp(KernelContext& ctx) { return Give(ctx, SumOfInputs(ctx) + 1); }

StepTest::StepTest() {
  options_.passes = "none";
  options_.use_per_session_threads = true;
  options_.inter_op_threads = options_.intra_op_threads = 4;
}

StepTest::~StepTest() {
  plan_.reset();
  std::lock_guard<std::mutex> lock(Scripts::All().mutex);
  Scripts::All().scripts.clear();
  Scripts::All().async_scripts.clear();
}

OutputRef StepTest::Built(NodeBuilder& builder) {
  auto made = builder.Build();
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? OutputRef{(*made)->id(), 0} : OutputRef();
}

OutputRef StepTest::Node(const std::string& op, const std::string& name,
                         std::vector<OutputRef> inputs, const std::vector<NodeId>& controls,
                         const std::string& device) {
  NodeBuilder builder(graph(), op);
  builder.ExactName(name).ControlInputs(controls).Device(device);
  for (const OutputRef input : inputs) builder.Input(input);
  return Built(builder);
}

OutputRef StepTest::Constant(const std::string& name, Tensor value) {
  auto made = AddConstant(graph(), name, std::move(value));
  EXPECT_TRUE(made.ok()) << made.status();
  return {(*made)->id(), 0};
}

OutputRef StepTest::Merge(const std::string& name, const std::vector<OutputRef>& inputs,
                          const std::vector<NodeId>& controls) {
  NodeBuilder builder(graph(), "Merge");
  builder.ExactName(name).Input(inputs).ControlInputs(controls);
  return Built(builder);
}

OutputRef StepTest::Scripted(const std::string& name, std::vector<OutputRef> inputs, Script script,
                             const std::vector<NodeId>& controls, int64_t elements) {
  {
    std::lock_guard<std::mutex> lock(Scripts::All().mutex);
    Scripts::All().scripts[name] = std::move(script);
  }
  NodeBuilder builder(graph(), "TestScripted");
  builder.ExactName(name).ControlInputs(controls).Input(std::move(inputs));
  builder.Attr("elements", elements);
  return Built(builder);
}

OutputRef StepTest::Awaited(const std::string& name, std::vector<OutputRef> inputs,
                            AsyncScript script, const std::vector<NodeId>& controls) {
  {
    std::lock_guard<std::mutex> lock(Scripts::All().mutex);
    Scripts::All().async_scripts[name] = std::move(script);
  }
  NodeBuilder builder(graph(), "TestAwaited");
  builder.ExactName(name).ControlInputs(controls).Input(std::move(inputs));
  return Built(builder);
}

OutputRef StepTest::Enter(OutputRef x, const std::string& frame, bool is_constant,
                          int64_t parallel_iterations) {
  NodeBuilder builder(graph(), "Enter");
  builder.Input(x).Attr("frame_name", frame).Attr("is_constant", is_constant);
  builder.Attr("parallel_iterations", parallel_iterations);
  return Built(builder);
}

OutputRef StepTest::Loop(const LoopSpec& spec) {
  const OutputRef in = Enter(spec.start, spec.frame, false, spec.parallel_iterations);
  const OutputRef merge = Merge(spec.frame + "/merge", {in, in});
  const OutputRef condition = Node("LoopCond", spec.frame + "/cond", {spec.goes_on(merge)});
  const OutputRef branch = Node("Switch", spec.frame + "/switch", {merge, condition});
  const OutputRef next = Node("NextIteration", spec.frame + "/next", {spec.body({branch.node, 1})});
  EXPECT_TRUE(graph_->SetInput(merge.node, 1, next).ok());
  return Node("Exit", spec.frame + "/exit", {{branch.node, 0}});
}

void StepTest::Compile(const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets,
                       const std::vector<std::string>& feeds) {
  plan_.reset();
  auto plan = ProbedPlan::Compile(options_, graph_, fetches, targets, feeds);
  ASSERT_TRUE(plan.ok()) << plan.status();
  plan_ = *std::move(plan);
}

void StepTest::ExpectRun(const std::vector<float>& values, int64_t timeout_ms) {
  const Status s = Run(timeout_ms);
  ASSERT_TRUE(s.ok()) << s;
  std::vector<float> got;
  for (const Tensor& value : fetched_) got.push_back(*value.data<float>());
  EXPECT_EQ(got, values);
}

}  // namespace warpbeam
