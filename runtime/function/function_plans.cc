#include "runtime/function/function_plans.h"

#include <utility>

#include "absl/hash/hash.h"
#include "graph/functions/instantiate.h"
#include "graph/gradients/symbolic_gradient.h"
#include "graph/types/shown_name.h"
#include "graph/types/stack_room.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/step/step_ids.h"

namespace warpbeam {
namespace {

// Arguments are feeds of the body's plan and what results take are its fetches, so this kernel is
// never run; placement asks for it.
class BorderKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<BorderKernel>();
  }
  Status Compute(KernelContext&) override {
    return FailedPrecondition(
        "a function's arguments and results have values only while the function is called");
  }
};
WB_KERNEL("_Arg", BorderKernel).Cpu().Gpu();
WB_KERNEL("_Retval", BorderKernel).Cpu().Gpu();

}  // namespace

size_t FunctionPlans::CallHash::operator()(const Call& call) const {
  return absl::HashOf(AttrValue(call.function).ToString(), call.device);
}

FunctionPlans::FunctionPlans(FunctionLibrary library, Setup setup)
    : setup_(std::move(setup)), given_(SizeOf(library)), library_(std::move(library)) {}

size_t FunctionPlans::SizeOf(const FunctionLibrary& library) {
  return library.size() + library.gradients().size();
}

FunctionLibrary FunctionPlans::library() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return library_;
}

void FunctionPlans::UpdateLibrary(const FunctionLibrary& library) {
  std::lock_guard<std::recursive_mutex> compiling(compile_mutex_);
  if (SizeOf(library) == given_) return;
  given_ = SizeOf(library);
  std::lock_guard<std::mutex> lock(mutex_);
  FunctionLibrary made = std::move(library_);
  library_ = library;
  // Gradient functions made here, and what bodies that run call, stay.
  for (const auto& [name, function] : made.functions()) {
    if (library_.Find(name) == nullptr) library_.Add(function).IgnoreError();
  }
}

FunctionRunner::Handle FunctionPlans::Find(const Call& call) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = handles_.find(call);
  return found == handles_.end() ? -1 : found->second;
}

StatusOr<FunctionRunner::Handle> FunctionPlans::Instantiate(const FunctionRef& function,
                                                            const std::string& device) {
  Call key{function, device};
  if (const Handle found = Find(key); found >= 0) return found;
  std::lock_guard<std::recursive_mutex> compiling(compile_mutex_);
  // Another thread may have compiled it meanwhile.
  if (const Handle found = Find(key); found >= 0) return found;
  if (setup_.copies > kMaxCopies) {
    return ResourceExhausted("functions read datasets that call functions, and so on, more than ",
                             kMaxCopies, " deep; the last is '", ShownName(function.name), "'");
  }
  // Kernels of the body instantiate what they call while they are made, so a function that calls
  // itself arrives here again.
  if (depth_ >= kMaxDepth || StackIsLow()) {
    return ResourceExhausted("functions call each other more than ", depth_, " deep; the last is '",
                             ShownName(function.name), "'");
  }
  ++depth_;
  auto compiled = Compile(function, device);
  --depth_;
  if (!compiled.ok()) return compiled.status();
  std::lock_guard<std::mutex> lock(mutex_);
  const Handle handle = static_cast<Handle>(compiled_.size());
  compiled_.push_back(*std::move(compiled));
  handles_.emplace(std::move(key), handle);
  return handle;
}

StatusOr<std::shared_ptr<const InstantiatedFunction>> FunctionPlans::Place(
    const FunctionRef& function, const std::string& device) {
  Call key{function, device};
  std::lock_guard<std::recursive_mutex> compiling(compile_mutex_);
  if (const auto found = placed_.find(key); found != placed_.end()) return found->second;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const InstantiatedFunction> placed,
                      PlaceNew(function, device));
  placed_.emplace(std::move(key), placed);
  return placed;
}

StatusOr<std::shared_ptr<const InstantiatedFunction>> FunctionPlans::PlaceNew(
    const FunctionRef& function, const std::string& device) {
  auto body = std::make_shared<InstantiatedFunction>();
  WB_ASSIGN_OR_RETURN(*body, InstantiateCallable(library(), function, *setup_.ops));
  Graph& graph = *body->graph;
  // A gradient may call functions that were made with it.
  if (std::lock_guard<std::mutex> lock(mutex_); graph.functions().size() > library_.size()) {
    WB_RETURN_IF_ERROR(library_.AddAll(graph.functions()));
  }
  PlacerOptions options = setup_.placer;
  const std::vector<DeviceName>& names =
      setup_.sites.empty() ? setup_.devices->names() : setup_.sites;
  DeviceName of_arguments = DeviceName::Local(DeviceType::kCpu, 0);
  of_arguments.job.reset();
  of_arguments.replica.reset();
  of_arguments.task.reset();
  if (!device.empty()) {
    WB_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(device));
    of_arguments.job = name.job;
    of_arguments.replica = name.replica;
    of_arguments.task = name.task;
    for (size_t i = 0; i < names.size() && options.default_device < 0; ++i) {
      if (name.Matches(names[i])) options.default_device = static_cast<int>(i);
    }
  }
  // Arguments arrive in host memory, that of the caller's task, and stand for their feeds.
  for (NodeId arg : body->args) graph.SetDevice(arg, of_arguments.ToString());
  const CallableCatalog catalog(KernelsFor(*setup_.devices), graph.functions());
  Placer placer(&catalog, names, options);
  WB_RETURN_IF_ERROR(placer.Place(graph));
  graph.SetSites(placer.sites());
  return body;
}

StatusOr<std::unique_ptr<FunctionPlans::Compiled>> FunctionPlans::Compile(
    const FunctionRef& function, const std::string& device) {
  auto compiled = std::make_unique<Compiled>();
  WB_ASSIGN_OR_RETURN(compiled->body, Place(function, device));
  const InstantiatedFunction& body = *compiled->body;
  StepBounds bounds;
  bounds.graph = body.graph;
  for (NodeId arg : body.args) bounds.feeds.push_back({arg, 0});
  bounds.fetches = body.results;
  bounds.targets = body.effects;
  CompileEnv env;
  env.devices = setup_.devices.get();
  env.bodies = [this](const FunctionRef& f, const std::string& d) { return Place(f, d); };
  env.kernels = &compiled->kernels;
  env.services = {setup_.resources.get(), this, setup_.allow};
  env.passes = setup_.passes;
  env.deterministic = setup_.deterministic;
  PlanMode mode;
  mode.one_thread = setup_.one_thread;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(env, bounds, mode));
  compiled->runner = std::make_unique<PlanRunner>(std::move(plan));
  return compiled;
}

void FunctionPlans::Run(Handle function, StepContext* step, std::vector<Tensor> args, Done done) {
  PlanRunner* runner = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (function < 0 || function >= static_cast<Handle>(compiled_.size())) {
      return done(InvalidArgument("there is no function with the handle ", function), {});
    }
    runner = compiled_[function]->runner.get();
  }
  if (step != nullptr) {
    // The step's own services may be another session's; the body's kernels use this runner's.
    return runner->RunAsync(step, args, std::move(done));
  }
  auto own = std::make_shared<StepContext>(NewStepId(), setup_.resources.get(), this);
  runner->RunAsync(own.get(), args,
                   [own, done = std::move(done)](Status s, std::vector<Tensor> results) {
                     done(std::move(s), std::move(results));
                   });
}

Status FunctionPlans::CheckAllowed(Capability capability) const {
  OpSchema needs;
  needs.capability = capability;
  return setup_.allow.Check(needs);
}

std::shared_ptr<FunctionRunner> FunctionPlans::Clone() {
  Setup setup = setup_;
  setup.one_thread = true;
  ++setup.copies;
  return std::make_shared<FunctionPlans>(library(), std::move(setup));
}

}  // namespace warpbeam
