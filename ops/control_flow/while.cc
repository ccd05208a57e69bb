// While, StatelessWhile, For: a library function called again and again.
#include "graph/gradients/while_gradient.h"
#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

Status WhileShape(ShapeContext& c) {
  const auto shapes = c.attrs().GetOr<std::vector<PartialShape>>("output_shapes", {});
  if (!shapes.empty() && static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("'output_shapes' has ", shapes.size(), " entries for ", c.num_outputs(),
                           " outputs");
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, shapes.empty() ? c.input(i) : shapes[static_cast<size_t>(i)]);
    if (!c.input_handle(i).empty()) c.set_output_handle(i, c.input_handle(i));
  }
  return OkStatus();
}

// One execution of a loop. Calls that end before they return are followed by the next one in the
// same loop on the stack; one that ends later goes on from the thread that it ended on. It owns
// itself until it is over.
class Loop {
 public:
  Loop(KernelContext& ctx, std::vector<Tensor> values, Kernel::Done done)
      : ctx_(ctx), values_(std::move(values)), done_(std::move(done)) {}
  virtual ~Loop() = default;

  void Drive() {
    for (;;) {
      if (status_.ok() && ctx_.IsCancelled()) status_ = ctx_.step()->cancel_reason();
      if (status_.ok()) status_ = TakeResults();
      if (!status_.ok() || is_over_) {
        const std::unique_ptr<Loop> self(this);
        return done_(std::move(status_));
      }
      came_second_.store(false, std::memory_order_release);
      // One pointer fits into a std::function without an allocation.
      next_->Run(ctx_.step(), std::move(args_), [this](Status s, std::vector<Tensor> results) {
        next_->Ended();
        status_ = std::move(s);
        results_ = std::move(results);
        if (came_second_.exchange(true, std::memory_order_acq_rel)) Drive();
      });
      if (!came_second_.exchange(true, std::memory_order_acq_rel)) return;
    }
  }

 protected:
  // Looks at `results_` of the last call and sets up the next one, or ends the loop.
  virtual Status TakeResults() = 0;
  virtual const char* name() const = 0;

  void Call(FunctionCall* function, std::vector<Tensor> args) {
    next_ = function;
    args_ = std::move(args);
  }
  // `values_` are the loop's results.
  Status End(const std::string& function) {
    is_over_ = true;
    return SetOutputs(ctx_, function, std::move(values_));
  }
  Status CheckBody(const std::string& function, size_t num_values) const {
    if (results_.size() == num_values) return OkStatus();
    return InvalidArgument(name(), " loop body returned ", results_.size(),
                           " arguments. Expected: ", num_values, ", what '", function,
                           "' must return");
  }

  KernelContext& ctx_;
  std::vector<Tensor> values_;
  std::vector<Tensor> results_;

 private:
  const Kernel::Done done_;
  FunctionCall* next_ = nullptr;
  std::vector<Tensor> args_;
  Status status_;
  bool is_over_ = false;
  std::atomic<bool> came_second_{false};
};

class WhileLoop final : public Loop {
 public:
  WhileLoop(FunctionCall* condition, FunctionCall* body, bool switches, KernelContext& ctx,
            Kernel::Done done)
      : Loop(ctx, InputsOf(ctx, 0, ctx.num_inputs()), std::move(done)),
        condition_(condition),
        body_(body),
        switches_(switches) {}

 private:
  enum class Phase { kStart, kCondition, kBody };

  const char* name() const override { return "While"; }
  Status TakeResults() override {
    if (phase_ == Phase::kCondition) {
      if (results_.size() != 1) {
        return InvalidArgument("Expected a single scalar return value from WhileOp cond '",
                               condition_->name(), "', got ", results_.size(), " tensors.");
      }
      if (switches_ && results_[0].rank() != 0) {
        return InvalidArgument("the loop's condition '", condition_->name(),
                               "' must return a scalar, but it has shape ",
                               results_[0].shape().ToString());
      }
      WB_ASSIGN_OR_RETURN(bool goes_on, IsTrue(results_[0]));
      if (!goes_on) return End(body_->name());
      phase_ = Phase::kBody;
      Call(body_, std::move(values_));
      return OkStatus();
    }
    if (phase_ == Phase::kBody) {
      WB_RETURN_IF_ERROR(CheckBody(body_->name(), static_cast<size_t>(ctx_.num_outputs())));
      values_ = std::move(results_);
    }
    phase_ = Phase::kCondition;
    Call(condition_, values_);
    return OkStatus();
  }

  FunctionCall* const condition_;
  FunctionCall* const body_;
  const bool switches_;
  Phase phase_ = Phase::kStart;
};

// A condition returns one value, of any type: each can be true.
Status CheckCondition(const KernelInit& init, const FunctionRef& condition) {
  std::vector<DType> results = {DType::kBool};
  if (init.functions == nullptr) return OkStatus();
  if (const auto found = init.functions->library().Find(condition.name); found != nullptr) {
    const auto types = OutputTypes(found->signature, condition.attrs);
    if (types.ok() && types->size() == 1) results = *types;
  }
  return CheckSignature(init, "cond", condition, init.input_types, results, "While");
}

class WhileKernel final : public AsyncKernel {
 public:
  WhileKernel(const KernelInit& init, FunctionRef condition, FunctionRef body)
      : condition_(init, std::move(condition)),
        body_(init, std::move(body)),
        switches_(init.attrs.GetOr<bool>("_lower_using_switch_merge", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef condition, init.attr<FunctionRef>("cond"));
    WB_ASSIGN_OR_RETURN(FunctionRef body, init.attr<FunctionRef>("body"));
    WB_RETURN_IF_ERROR(CheckCondition(init, condition));
    WB_RETURN_IF_ERROR(
        CheckSignature(init, "body", body, init.input_types, init.output_types, "While"));
    return std::make_unique<WhileKernel>(init, std::move(condition), std::move(body));
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    (new WhileLoop(&condition_, &body_, switches_, ctx, std::move(done)))->Drive();
  }

 private:
  FunctionCall condition_, body_;
  // The graph wants Switch and Merge, which take no vector for true.
  const bool switches_;
};

// The body gets the counter and the loop's values.
class ForLoop final : public Loop {
 public:
  ForLoop(FunctionCall* body, KernelContext& ctx, Kernel::Done done)
      : Loop(ctx, InputsOf(ctx, 3, ctx.num_inputs()), std::move(done)),
        body_(body),
        at_(*ctx.input(0).data<int32_t>()),
        limit_(*ctx.input(1).data<int32_t>()),
        delta_(*ctx.input(2).data<int32_t>()) {}

 private:
  const char* name() const override { return "For"; }
  Status TakeResults() override {
    if (started_) {
      WB_RETURN_IF_ERROR(CheckBody(body_->name(), static_cast<size_t>(ctx_.num_outputs())));
      values_ = std::move(results_);
      at_ += delta_;
    }
    started_ = true;
    if (delta_ > 0 ? at_ >= limit_ : at_ <= limit_) return End(body_->name());
    std::vector<Tensor> args = {Tensor::Scalar<int32_t>(static_cast<int32_t>(at_))};
    for (Tensor& value : values_) args.push_back(std::move(value));
    Call(body_, std::move(args));
    return OkStatus();
  }

  FunctionCall* const body_;
  int64_t at_;
  const int64_t limit_, delta_;
  bool started_ = false;
};

class ForKernel final : public AsyncKernel {
 public:
  ForKernel(const KernelInit& init, FunctionRef body) : body_(init, std::move(body)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef body, init.attr<FunctionRef>("body"));
    std::vector<DType> args = {DType::kInt32};
    args.insert(args.end(), init.input_types.begin() + 3, init.input_types.end());
    WB_RETURN_IF_ERROR(CheckSignature(init, "body", body, args, init.output_types, "For"));
    return std::make_unique<ForKernel>(init, std::move(body));
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    constexpr const char* kNames[] = {"start", "limit", "delta"};
    for (int i = 0; i < 3; ++i) {
      if (ctx.input(i).rank() == 0) continue;
      return done(InvalidArgument(kNames[i], " must be a scalar, not of shape ",
                                  ctx.input(i).shape().ToString()));
    }
    const int32_t start = *ctx.input(0).data<int32_t>();
    const int32_t limit = *ctx.input(1).data<int32_t>();
    const int32_t delta = *ctx.input(2).data<int32_t>();
    if ((delta > 0 && start > limit) || (delta < 0 && start < limit) ||
        (delta == 0 && start != limit)) {
      return done(InvalidArgument("Invalid start/limit/delta: the loop from ", start, " to ", limit,
                                  " by ", delta, " would never end"));
    }
    (new ForLoop(&body_, ctx, std::move(done)))->Drive();
  }

 private:
  FunctionCall body_;
};

WB_OP("While")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("cond: func")
    .Attr("body: func")
    .Attr("output_shapes: list(shape) = []")
    .Attr("parallel_iterations: int = 10")
    .Stateful()
    .Shape(WhileShape);
WB_KERNEL("While", WhileKernel).Cpu().Gpu().Async().Unbounded();

WB_OP("StatelessWhile")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("cond: func")
    .Attr("body: func")
    .Attr("output_shapes: list(shape) = []")
    .Attr("parallel_iterations: int = 10")
    .Shape(WhileShape);
WB_KERNEL("StatelessWhile", WhileKernel).Cpu().Gpu().Async().Unbounded();

WB_OP("_While")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("cond: func")
    .Attr("body: func")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("_While", WhileKernel).Cpu().Gpu().Async().Unbounded();

WB_OP("For")
    .Input("start: int32")
    .Input("limit: int32")
    .Input("delta: int32")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 0")
    .Attr("body: func")
    .Shape(shapes::Unknown);
WB_KERNEL("For", ForKernel).Cpu().Gpu().HostMemory({"start", "limit", "delta"}).Async();

WB_GRADIENT("While", WhileGradient);
WB_GRADIENT("StatelessWhile", WhileGradient);

}  // namespace
}  // namespace warpbeam
