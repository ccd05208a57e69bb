#include "ops/control_flow/function_call.h"

#include <utility>

#include "ops/launch/dispatch.h"
#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// Calls run on the caller's stack until something of them waits.
thread_local int call_depth = 0;

struct DepthScope {
  DepthScope() { ++call_depth; }
  ~DepthScope() { --call_depth; }
};

}  // namespace

FunctionCall::FunctionCall(const KernelInit& init, FunctionRef function)
    : functions_(init.functions), function_(std::move(function)) {
  if (init.device != nullptr) device_ = init.device->name().ToString();
}

absl::StatusOr<FunctionRunner::Handle> FunctionCall::Prepare() {
  const FunctionRunner::Handle known = handle_.load(std::memory_order_acquire);
  if (known >= 0) return known;
  if (functions_ == nullptr) {
    return FailedPrecondition("there are no functions here to call '", function_.name, "' of");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (handle_.load(std::memory_order_acquire) < 0) {
    WB_ASSIGN_OR_RETURN(FunctionRunner::Handle made, functions_->Instantiate(function_, device_));
    handle_.store(made, std::memory_order_release);
  }
  return handle_.load(std::memory_order_acquire);
}

void FunctionCall::Run(StepContext* step, std::vector<Tensor> args, FunctionRunner::Done done) {
  if (call_depth >= kMaxDepth) {
    return done(ResourceExhausted("functions call each other more than ", kMaxDepth,
                                  " deep; the last is '", function_.name, "'"),
                {});
  }
  const DepthScope scope;
  auto handle = Prepare();
  if (!handle.ok()) {
    return done(Annotate(handle.status(), absl::StrCat("function '", function_.name, "'")), {});
  }
  functions_->Run(*handle, step, std::move(args), std::move(done));
}

std::vector<Tensor> InputsOf(const KernelContext& ctx, int begin, int end) {
  std::vector<Tensor> args;
  args.reserve(static_cast<size_t>(end - begin));
  for (int i = begin; i < end; ++i) args.push_back(ctx.input(i));
  return args;
}

absl::Status SetOutputs(KernelContext& ctx, const std::string& function,
                        std::vector<Tensor> results) {
  if (static_cast<int>(results.size()) != ctx.num_outputs()) {
    return InvalidArgument("the function '", function, "' returns ", results.size(),
                           " values, the node has ", ctx.num_outputs(), " outputs");
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    Tensor& result = results[static_cast<size_t>(i)];
    if (result.dtype() != ctx.output_type(i)) {
      return InvalidArgument("result ", i, " of the function '", function, "' is ",
                             DTypeName(result.dtype()), ", the node's output is ",
                             DTypeName(ctx.output_type(i)));
    }
    ctx.set_output(i, std::move(result));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsTrue(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  if (t.dtype() == DType::kString) return !t.data<std::string>()->empty();
  if (t.dtype() == DType::kBool) return *t.data<bool>();
  bool result = false;
  WB_RETURN_IF_ERROR(DispatchTypes(RealTypeList{}, t.dtype(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    result = static_cast<ComputeType<T>>(*t.data<T>()) != 0;
    return absl::OkStatus();
  }));
  return result;
}

}  // namespace warpbeam
