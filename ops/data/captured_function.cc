#include "ops/data/captured_function.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "graph/op/node_types.h"
#include "graph/types/stack_room.h"

namespace warpbeam {
namespace {

// Follows the functions that a function calls, each once. Chains of calls may be long.
class EffectSearch {
 public:
  explicit EffectSearch(const FunctionLibrary& library) : library_(library) {}

  bool Finds(const std::string& name) {
    Follow(name);
    while (!next_.empty()) {
      const std::shared_ptr<const Function> function = library_.Find(next_.back());
      next_.pop_back();
      if (function == nullptr) return true;  // what cannot be read may do anything
      for (const NodeSpec& node : function->nodes) {
        if (FindsIn(node)) return true;
      }
    }
    return false;
  }

 private:
  void Follow(const std::string& name) {
    if (seen_.insert(name).second) next_.push_back(name);
  }

  bool FindsIn(const NodeSpec& node) {
    const OpSchema* schema = OpRegistry::Global().Find(node.op);
    if (schema == nullptr) {
      Follow(node.op);  // a function called by its own name
    } else if (ReachesOutside(*schema)) {
      return true;
    }
    for (const auto& [key, value] : node.attrs) {
      if (value.kind() == AttrValue::Kind::kFunction) Follow(value.func().name);
      for (const FunctionRef& f : value.list<FunctionRef>()) Follow(f.name);
    }
    return false;
  }

  // Random ops are stateful too, but drawing early changes nothing that anyone could rely on.
  static bool ReachesOutside(const OpSchema& schema) {
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

  const FunctionLibrary& library_;
  std::set<std::string> seen_;
  std::vector<std::string> next_;
};

// The function's last arguments are what it has captured.
absl::Status CheckCaptured(const KernelInit& init, const FunctionRef& function,
                           const std::vector<DType>& captured) {
  if (init.functions == nullptr) return absl::OkStatus();
  const auto found = init.functions->library().Find(function.name);
  if (found == nullptr) return absl::OkStatus();
  const auto args = InputTypes(found->signature, function.attrs);
  if (!args.ok()) return absl::OkStatus();  // said when it is called
  const auto same = [](DType a, DType b) { return BaseType(a) == BaseType(b); };
  if (args->size() >= captured.size() &&
      std::equal(captured.begin(), captured.end(),
                 args->end() - static_cast<std::ptrdiff_t>(captured.size()), same)) {
    return absl::OkStatus();
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
  return EffectSearch(library).Finds(function.name);
}

absl::StatusOr<std::unique_ptr<FunctionCall>> FunctionCall::Create(const CapturedFunction& function,
                                                                   PipelineContext& pipeline) {
  if (pipeline.functions() == nullptr) {
    return FailedPrecondition("there is nothing here to run the function '", function.function.name,
                              "' with");
  }
  WB_ASSIGN_OR_RETURN(FunctionRunner::Handle handle,
                      pipeline.functions()->Instantiate(function.function, "/device:CPU:0"));
  return std::unique_ptr<FunctionCall>(new FunctionCall(function, pipeline, handle));
}

FunctionCall::FunctionCall(const CapturedFunction& function, PipelineContext& pipeline,
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

void FunctionCall::Renew() {
  auto step = std::make_shared<StepContext>(0, pipeline_.resources(), pipeline_.functions());
  std::lock_guard<std::mutex> lock(mutex_);
  step_ = std::move(step);
}

absl::Status FunctionCall::Run(const Element& args, Element* results) {
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
  absl::StatusOr<std::vector<Tensor>> got =
      pipeline_.functions()->RunSync(handle_, step_.get(), std::move(all));
  if (!got.ok()) {
    return pipeline_.IsCancelled() ? pipeline_.cancel_reason() : got.status();
  }
  *results = *std::move(got);
  return absl::OkStatus();
}

absl::StatusOr<bool> PredicateResult(const Element& results) {
  if (results.size() != 1 || results[0].dtype() != DType::kBool || results[0].num_elements() != 1) {
    return InvalidArgument("a predicate returns one scalar of type bool");
  }
  return results[0].scalar<bool>();
}

absl::StatusOr<DatasetRef> DatasetFromFunction(FunctionCall& call, const Element& args) {
  Element results;
  WB_RETURN_IF_ERROR(call.Run(args, &results));
  if (results.size() != 1) {
    return InvalidArgument("the function must return one dataset, it returned ", results.size(),
                           " tensors");
  }
  return DatasetFromTensor(results[0]);
}

absl::Status FunctionDatasetKernel::ReadAttrs(KernelInit& init) {
  const char* name = init.schema.FindAttr("predicate") != nullptr ? "predicate" : "f";
  WB_ASSIGN_OR_RETURN(function_, init.attr<FunctionRef>(name));
  WB_ASSIGN_OR_RETURN(std::vector<DType> captured, init.attr<std::vector<DType>>("Targuments"));
  num_captured_ = static_cast<int>(captured.size());
  return CheckCaptured(init, function_, captured);
}

}  // namespace warpbeam
