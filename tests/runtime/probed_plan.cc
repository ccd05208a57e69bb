#include "tests/runtime/probed_plan.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/step_compiler.h"

namespace warpbeam {
namespace {

// Kernels of functions know the plan by its resources.
struct Plans {
  std::mutex mutex;
  std::map<const ResourceStore*, ProbedPlan*> plans;

  static Plans& All() {
    static auto* const all = new Plans;
    return *all;
  }
  ProbedPlan* Find(const ResourceStore* resources) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = plans.find(resources);
    return found == plans.end() ? nullptr : found->second;
  }
};

}  // namespace

// In front of a kernel.
class ProbedPlan::Probe final : public Kernel {
 public:
  Probe(ProbedPlan* plan, int number, Kernel* kernel)
      : plan_(plan), number_(number), kernel_(kernel) {}
  bool is_async() const override { return kernel_->is_async(); }
  Status Compute(KernelContext& ctx) override {
    plan_->Report(number_, ctx);
    return kernel_->Compute(ctx);
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    plan_->Report(number_, ctx);
    kernel_->ComputeAsync(ctx, std::move(done));
  }

 private:
  ProbedPlan* const plan_;
  const int number_;
  Kernel* const kernel_;
};

// Hands its input on.
class ProbedPlan::FunctionProbe final : public Kernel {
 public:
  explicit FunctionProbe(int64_t number) : number_(static_cast<int>(number)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t number, init.attr<int64_t>("number"));
    return std::make_unique<FunctionProbe>(number);
  }
  Status Compute(KernelContext& ctx) override {
    ProbedPlan* const plan = Plans::All().Find(ctx.resources());
    if (plan != nullptr) plan->Report(static_cast<int>(plan->probes_.size()) + number_, ctx);
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }

 private:
  const int number_;
};

namespace {

WB_OP("TestProbe")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Attr("number: int")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("TestProbe", ProbedPlan::FunctionProbe).Cpu();

}  // namespace

StatusOr<std::unique_ptr<ProbedPlan>> ProbedPlan::Compile(const SessionOptions& options,
                                                          std::shared_ptr<Graph> graph,
                                                          const std::vector<std::string>& fetches,
                                                          const std::vector<std::string>& targets,
                                                          const std::vector<std::string>& feeds) {
  std::unique_ptr<ProbedPlan> made(new ProbedPlan);
  made->graph_ = std::move(graph);
  WB_ASSIGN_OR_RETURN(made->devices_, CreateDevices(options));
  made->resources_ = std::make_shared<ResourceStore>();
  FunctionPlans::Setup setup;
  setup.ops = &made->graph_->ops();
  setup.devices = made->devices_;
  setup.resources = made->resources_;
  made->functions_ = std::make_shared<FunctionPlans>(made->graph_->functions(), setup);
  made->catalog_ =
      std::make_unique<CallableCatalog>(KernelRegistry::Global(), made->graph_->functions());
  made->placer_ =
      std::make_unique<Placer>(made->catalog_.get(), made->devices_->names(), PlacerOptions());
  WB_RETURN_IF_ERROR(made->placer_->Place(*made->graph_));

  made->graph_->SetSites(made->placer_->sites());

  StepBounds bounds;
  bounds.graph = made->graph_;
  for (const std::string& feed : feeds) {
    WB_ASSIGN_OR_RETURN(OutputRef output, ParseOutput(*made->graph_, feed, "feed"));
    bounds.feeds.push_back(output);
  }
  for (const std::string& fetch : fetches) {
    WB_ASSIGN_OR_RETURN(OutputRef output, ParseOutput(*made->graph_, fetch, "fetch"));
    bounds.fetches.push_back(output);
  }
  for (const std::string& target : targets) {
    const Node* node = made->graph_->Find(target);
    if (node == nullptr) return NotFound("the target '", target, "' names no node of the graph");
    bounds.targets.push_back(node->id());
  }
  CompileEnv env;
  env.devices = made->devices_.get();
  env.kernels = &made->kernels_;
  env.services = {made->resources_.get(), made->functions_.get()};
  env.passes = options.passes;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(env, bounds));
  for (PlanItem& item : plan->program.items) {
    made->probes_.push_back(
        std::make_unique<Probe>(made.get(), static_cast<int>(made->probes_.size()), item.kernel));
    item.kernel = made->probes_.back().get();
  }
  made->runner_ = std::make_unique<PlanRunner>(std::move(plan));
  for (const auto& [name, function] : made->graph_->functions().functions()) {
    for (const NodeSpec& node : function->nodes) made->function_probes_ += node.op == "TestProbe";
  }
  std::lock_guard<std::mutex> lock(Plans::All().mutex);
  Plans::All().plans[made->resources_.get()] = made.get();
  return made;
}

ProbedPlan::~ProbedPlan() {
  runner_.reset();
  std::lock_guard<std::mutex> lock(Plans::All().mutex);
  Plans::All().plans.erase(resources_.get());
}

std::string ProbedPlan::Describe(int probe) const {
  return probe < static_cast<int>(probes_.size()) ? plan().DescribeItem(probe) : "";
}

void ProbedPlan::AtProbe(Callback callback) { at_probe_ = std::move(callback); }

Status ProbedPlan::Run(int64_t timeout_ms, std::vector<Tensor>* fetched) {
  return runner_->Run(NewContext(), {}, timeout_ms, fetched, nullptr);
}

std::shared_ptr<StepContext> ProbedPlan::NewContext() {
  auto context = std::make_shared<StepContext>(1, resources_.get(), functions_.get());
  std::lock_guard<std::mutex> lock(mutex_);
  context_ = context;
  return context;
}

bool ProbedPlan::IsIdle() {
  constexpr int kPatienceMs = 10'000;
  const auto is_over = [this] {
    std::lock_guard<std::mutex> lock(mutex_);
    return context_.expired();
  };
  for (int ms = 0; ms < kPatienceMs && !is_over(); ++ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return is_over() && runner_->Drain(kPatienceMs);
}

}  // namespace warpbeam
