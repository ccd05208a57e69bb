#include "ops/data/captured_function.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/functions/callees.h"
#include "graph/op/node_types.h"
#include "graph/types/stack_room.h"

namespace warpbeam {
namespace {

// Random ops are stateful too, but drawing early changes nothing that anyone could rely on.
bool ReachesOutside(const OpSchema& schema) {
  if (schema.capability == Capability::kWriteFile || schema.capability == Capability::kNetwork) {
    return true;
  }
  for (const auto* args : {&schema.inputs, &schema.outputs}) {
    for (const ArgSpec& arg : *args) {
      if (arg.is_ref || arg.type == DType::kResource) return true;
    }
  }
  return false;
}

// Whether a node of a function's body could be seen from outside by itself. What it calls and
// cannot be read may do anything.
bool ReachesOutside(const NodeSpec& node, const FunctionLibrary& library) {
  const OpSchema* schema = OpRegistry::Global().Find(node.op);
  if (schema == nullptr ? library.Find(node.op) == nullptr : ReachesOutside(*schema)) return true;
  const std::vector<FunctionRef> called = CalledFunctions(library, node.op, node.attrs);
  return std::any_of(called.begin(), called.end(),
                     [&](const FunctionRef& f) { return library.Find(f.name) == nullptr; });
}

// The function's last arguments are what it has captured.
Status CheckCaptured(const KernelInit& init, const FunctionRef& function,
                     const std::vector<DType>& captured) {
  if (init.functions == nullptr) return OkStatus();
  const auto found = init.functions->library().Find(function.name);
  if (found == nullptr) return OkStatus();
  const auto args = InputTypes(found->signature, function.attrs);
  if (!args.ok()) return OkStatus();  // said when it is called
  const auto same = [](DType a, DType b) { return BaseType(a) == BaseType(b); };
  if (args->size() >= captured.size() &&
      std::equal(captured.begin(), captured.end(),
                 args->end() - static_cast<std::ptrdiff_t>(captured.size()), same)) {
    return OkStatus();
  }
  return InvalidArgument("the function '", function.name, "' takes ", args->size(),
                         " arguments, the last of which are not the ", captured.size(),
                         " that the dataset has captured for it; change one of the two");
}

}  // namespace

bool CapturedFunction::HasSideEffects(const FunctionLibrary& library) const {
  for (const Tensor& t : captured) {
    if (t.dtype() == DType::kResource) return true;
  }
  if (library.Find(function.name) == nullptr) return true;
  bool found = false;
  VisitBodies(library, {function}, [&](const NodeSpec& node) {
    found = ReachesOutside(node, library);
    return !found;
  });
  return found;
}

StatusOr<std::unique_ptr<CapturedCall>> CapturedCall::Create(const CapturedFunction& function,
                                                             PipelineContext& pipeline) {
  if (pipeline.functions() == nullptr) {
    return FailedPrecondition("there is nothing here to run the function '", function.function.name,
                              "' with");
  }
  WB_ASSIGN_OR_RETURN(FunctionRunner::Handle handle,
                      pipeline.functions()->Instantiate(function.function, "/device:CPU:0"));
  return std::unique_ptr<CapturedCall>(new CapturedCall(function, pipeline, handle));
}

CapturedCall::CapturedCall(const CapturedFunction& function, PipelineContext& pipeline,
                           FunctionRunner::Handle handle)
    : function_(function),
      pipeline_(pipeline),
      handle_(handle),
      step_(std::make_shared<StepContext>(0, pipeline.resources(), pipeline.functions())),
      hook_(pipeline.cancellation(), [this] {
        std::shared_ptr<StepContext> step;
        {
          std::lock_guard<std::mutex> lock(mutex_);
          step = step_;
        }
        step->Cancel(Cancelled("the iterator has been closed"));
      }) {}

void CapturedCall::Renew() {
  auto step = std::make_shared<StepContext>(0, pipeline_.resources(), pipeline_.functions());
  std::lock_guard<std::mutex> lock(mutex_);
  step_ = std::move(step);
}

Status CapturedCall::Run(const Element& args, Element* results) {
  // The pipeline may be cancelled between the first look and the new step.
  if (step_->IsCancelled() && !pipeline_.IsCancelled()) Renew();
  if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
  if (StackIsLow() || pipeline_.depth() > kMostParts) {
    return ResourceExhausted(
        "datasets that functions make lie too deep in each other, or functions "
        "read datasets that call functions, and so on; a function that makes "
        "use of itself needs a condition that ends it. The innermost is '",
        function_.function.name, "'");
  }
  std::vector<Tensor> all;
  all.reserve(args.size() + function_.captured.size());
  all.insert(all.end(), args.begin(), args.end());
  all.insert(all.end(), function_.captured.begin(), function_.captured.end());
  StatusOr<std::vector<Tensor>> got =
      pipeline_.functions()->RunSync(handle_, step_.get(), std::move(all));
  if (!got.ok()) {
    return pipeline_.IsCancelled() ? pipeline_.cancel_reason() : got.status();
  }
  *results = *std::move(got);
  return OkStatus();
}

StatusOr<bool> PredicateResult(const Element& results) {
  if (results.size() != 1 || results[0].dtype() != DType::kBool || results[0].num_elements() != 1) {
    return InvalidArgument("a predicate returns one scalar of type bool");
  }
  return results[0].scalar<bool>();
}

StatusOr<DatasetRef> DatasetFromFunction(CapturedCall& call, const Element& args) {
  Element results;
  WB_RETURN_IF_ERROR(call.Run(args, &results));
  if (results.size() != 1) {
    return InvalidArgument("the function must return one dataset, it returned ", results.size(),
                           " tensors");
  }
  return DatasetFromTensor(results[0]);
}

Status FunctionDatasetKernel::ReadAttrs(KernelInit& init) {
  const char* name = init.schema.FindAttr("predicate") != nullptr ? "predicate" : "f";
  WB_ASSIGN_OR_RETURN(function_, init.attr<FunctionRef>(name));
  WB_ASSIGN_OR_RETURN(std::vector<DType> captured, init.attr<std::vector<DType>>("Targuments"));
  num_captured_ = static_cast<int>(captured.size());
  return CheckCaptured(init, function_, captured);
}

}  // namespace warpbeam
