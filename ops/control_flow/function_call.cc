#include "ops/control_flow/function_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/op/node_types.h"
#include "graph/types/stack_room.h"
#include "ops/launch/dispatch.h"
#include "runtime/device/device.h"

namespace warpbeam {

// Calls run on the caller's stack until something of them waits.
thread_local const FunctionCall::Frame* FunctionCall::innermost_ = nullptr;

FunctionCall::FunctionCall(const KernelInit& init, FunctionRef function)
    : functions_(init.functions), function_(std::move(function)) {
  if (init.device != nullptr) device_ = init.device->name().ToString();
}

FunctionCall::FunctionCall(FunctionRunner* functions, FunctionRef function, std::string device)
    : functions_(functions), function_(std::move(function)), device_(std::move(device)) {}

StatusOr<FunctionRunner::Handle> FunctionCall::Prepare() {
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
  const int live = live_.fetch_add(1, std::memory_order_relaxed);
  const Frame frame = {&function_.name, innermost_,
                       innermost_ == nullptr ? 1 : innermost_->depth + 1};
  if (frame.depth > kMaxDepth || live >= kMaxLive || StackIsLow()) return done(TooDeep(frame), {});
  auto handle = Prepare();
  if (!handle.ok()) {
    return done(Annotate(handle.status(), absl::StrCat("function '", function_.name, "'")), {});
  }
  innermost_ = &frame;
  functions_->Run(*handle, step, std::move(args), std::move(done));
  // This kernel may be gone, but not the stack.
  innermost_ = frame.caller;
}

// Names the innermost calls up to the first function that comes a second time.
Status FunctionCall::TooDeep(const Frame& innermost) const {
  std::vector<std::string> chain;
  for (const Frame* f = &innermost; f != nullptr; f = f->caller) {
    const bool again = std::find(chain.begin(), chain.end(), *f->function) != chain.end();
    chain.push_back(*f->function);
    if (again || chain.size() > 20) break;
  }
  std::reverse(chain.begin(), chain.end());
  const std::string calls = absl::StrJoin(chain, " calls ", [](std::string* out, const auto& name) {
    absl::StrAppend(out, "'", name, "'");
  });
  return ResourceExhausted(
      live_ > kMaxLive
          ? absl::StrCat("more than ", kMaxLive, " calls of a function have not ended")
          : absl::StrCat("functions call each other more than ", innermost.depth - 1, " deep"),
      ": ", calls, "; a function that calls itself needs a condition (an If) that ends it");
}

namespace {

Status CheckTypes(absl::string_view role, const FunctionRef& function,
                  const StatusOr<std::vector<DType>>& has, Span<const DType> wanted,
                  absl::string_view verb, absl::string_view loop = "") {
  if (!has.ok()) return OkStatus();  // its attributes say more when it is called
  const auto same = [](DType a, DType b) { return BaseType(a) == BaseType(b); };
  if (std::equal(has->begin(), has->end(), wanted.begin(), wanted.end(), same)) {
    return OkStatus();
  }
  const auto text = [](Span<const DType> types) {
    return absl::StrCat("(",
                        absl::StrJoin(types, ", ",
                                      [](std::string* out, DType t) {
                                        absl::StrAppend(out, DTypeName(BaseType(t)));
                                      }),
                        ")");
  };
  std::string count;
  if (!loop.empty() && has->size() != wanted.size()) {
    count = role == "cond" ? absl::StrCat("Expected a single scalar of the condition, got ",
                                          has->size(), " tensors. ")
                           : absl::StrCat(loop, " loop body returned ", has->size(),
                                          " arguments. Expected: ", wanted.size(), "; ");
  }
  return InvalidArgument(count, "the function '", function.name, "' ('", role, "') ", verb, " ",
                         text(*has), " where the node asks for ", text(wanted),
                         "; change the function or the node's types");
}

}  // namespace

Status CheckSignature(const KernelInit& init, absl::string_view role, const FunctionRef& function,
                      Span<const DType> args, Span<const DType> results, absl::string_view loop) {
  if (init.functions == nullptr) return OkStatus();
  const auto found = init.functions->library().Find(function.name);
  if (found == nullptr) return OkStatus();
  const OpSchema& signature = found->signature;
  WB_RETURN_IF_ERROR(
      CheckTypes(role, function, InputTypes(signature, function.attrs), args, "takes"));
  return CheckTypes(role, function, OutputTypes(signature, function.attrs), results, "returns",
                    loop);
}

std::vector<Tensor> InputsOf(const KernelContext& ctx, int begin, int end) {
  std::vector<Tensor> args;
  args.reserve(static_cast<size_t>(end - begin));
  for (int i = begin; i < end; ++i) args.push_back(ctx.input(i));
  return args;
}

Status SetOutputs(KernelContext& ctx, const std::string& function, std::vector<Tensor> results) {
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
  return OkStatus();
}

StatusOr<bool> IsTrue(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  if (t.dtype() == DType::kString) return !t.data<std::string>()->empty();
  if (t.dtype() == DType::kBool) return *t.data<bool>();
  bool result = false;
  WB_RETURN_IF_ERROR(DispatchTypes(RealTypeList{}, t.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    result = static_cast<ComputeType<T>>(*t.data<T>()) != 0;
    return OkStatus();
  }));
  return result;
}

}  // namespace warpbeam
