// If, Case and their stateless forms: a call of one of several library functions.
#include "graph/gradients/function_gradient.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status BranchShape(ShapeContext& c) {
  const auto shapes = c.attrs().GetOr<std::vector<PartialShape>>("output_shapes", {});
  if (shapes.empty()) return OkStatus();
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("'output_shapes' has ", shapes.size(), " entries for ", c.num_outputs(),
                           " outputs");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[static_cast<size_t>(i)]);
  return OkStatus();
}

Status CaseShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return BranchShape(c);
}

// Which of the branches an execution takes; the last one for Case's indices out of range.
using Chooser = StatusOr<size_t> (*)(const Tensor& selector, size_t num_branches);

StatusOr<size_t> ThenOrElse(const Tensor& condition, size_t) {
  WB_ASSIGN_OR_RETURN(bool is_true, IsTrue(condition));
  return is_true ? 0u : 1u;
}

// What a graph gets that wants Switch and Merge, which take no vector for true.
StatusOr<size_t> ThenOrElseByScalar(const Tensor& condition, size_t num_branches) {
  if (condition.rank() != 0) {
    return InvalidArgument("the condition must be a scalar, but it has shape ",
                           condition.shape().ToString());
  }
  return ThenOrElse(condition, num_branches);
}

StatusOr<size_t> ByIndex(const Tensor& index, size_t num_branches) {
  if (index.rank() != 0) {
    return InvalidArgument("the branch index must be a scalar, not of shape ",
                           index.shape().ToString());
  }
  const int32_t i = *index.data<int32_t>();
  return i < 0 || static_cast<size_t>(i) >= num_branches ? num_branches - 1
                                                         : static_cast<size_t>(i);
}

class BranchKernel final : public AsyncKernel {
 public:
  BranchKernel(const KernelInit& init, const std::vector<FunctionRef>& branches, Chooser choose)
      : choose_(choose) {
    for (const FunctionRef& f : branches) {
      branches_.push_back(std::make_unique<FunctionCall>(init, f));
    }
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    auto branch = choose_(ctx.input(0), branches_.size());
    if (!branch.ok()) return done(branch.status());
    FunctionCall* function = branches_[*branch].get();
    function->Run(ctx.step(), InputsOf(ctx, 1, ctx.num_inputs()),
                  [function, &ctx, done](Status s, std::vector<Tensor> results) {
                    function->Ended();
                    if (s.ok()) s = SetOutputs(ctx, function->name(), std::move(results));
                    done(std::move(s));
                  });
  }

 private:
  const Chooser choose_;
  std::vector<std::unique_ptr<FunctionCall>> branches_;
};

Status CheckBranch(const KernelInit& init, absl::string_view role, const FunctionRef& f) {
  return CheckSignature(init, role, f, MakeConstSpan(init.input_types).subspan(1),
                        init.output_types);
}

struct IfKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef on_true, init.attr<FunctionRef>("then_branch"));
    WB_ASSIGN_OR_RETURN(FunctionRef on_false, init.attr<FunctionRef>("else_branch"));
    WB_RETURN_IF_ERROR(CheckBranch(init, "then_branch", on_true));
    WB_RETURN_IF_ERROR(CheckBranch(init, "else_branch", on_false));
    const bool switches = init.attrs.GetOr<bool>("_lower_using_switch_merge", false);
    return std::make_unique<BranchKernel>(init, std::vector<FunctionRef>{on_true, on_false},
                                          switches ? ThenOrElseByScalar : ThenOrElse);
  }
};

struct CaseKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::vector<FunctionRef> branches,
                        init.attr<std::vector<FunctionRef>>("branches"));
    if (branches.empty()) return InvalidArgument("'branches' names no function");
    for (const FunctionRef& branch : branches) {
      WB_RETURN_IF_ERROR(CheckBranch(init, "branches", branch));
    }
    return std::make_unique<BranchKernel>(init, branches, ByIndex);
  }
};

WB_OP("If")
    .Input("cond: Tcond")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tcond: type")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("then_branch: func")
    .Attr("else_branch: func")
    .Attr("output_shapes: list(shape) = []")
    .Stateful()
    .Shape(BranchShape);
WB_KERNEL("If", IfKernel).Cpu().Gpu().HostMemory({"cond"}).Async();

WB_OP("StatelessIf")
    .Input("cond: Tcond")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tcond: type")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("then_branch: func")
    .Attr("else_branch: func")
    .Attr("output_shapes: list(shape) = []")
    .Shape(BranchShape);
WB_KERNEL("StatelessIf", IfKernel).Cpu().Gpu().HostMemory({"cond"}).Async();

WB_OP("_If")
    .Input("cond: Tcond")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tcond: type")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("then_branch: func")
    .Attr("else_branch: func")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("_If", IfKernel).Cpu().Gpu().HostMemory({"cond"}).Async();

WB_OP("Case")
    .Input("branch_index: int32")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("branches: list(func) >= 1")
    .Attr("output_shapes: list(shape) = []")
    .Stateful()
    .Shape(CaseShape);
WB_KERNEL("Case", CaseKernel).Cpu().Gpu().HostMemory({"branch_index"}).Async();

WB_OP("StatelessCase")
    .Input("branch_index: int32")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("branches: list(func) >= 1")
    .Attr("output_shapes: list(shape) = []")
    .Shape(CaseShape);
WB_KERNEL("StatelessCase", CaseKernel).Cpu().Gpu().HostMemory({"branch_index"}).Async();

Status IfGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(FunctionRef on_true, c.attr<FunctionRef>("then_branch"));
  WB_ASSIGN_OR_RETURN(FunctionRef on_false, c.attr<FunctionRef>("else_branch"));
  return CallGradient(c, {on_true, on_false}, 1, c.node().op_name(),
                      [](std::vector<FunctionRef> gradients, AttrMap* attrs) {
                        attrs->Set("then_branch", gradients[0]);
                        attrs->Set("else_branch", gradients[1]);
                      });
}
WB_GRADIENT("If", IfGradient);
WB_GRADIENT("StatelessIf", IfGradient);

Status CaseGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(std::vector<FunctionRef> branches,
                      c.attr<std::vector<FunctionRef>>("branches"));
  return CallGradient(c, branches, 1, c.node().op_name(),
                      [](std::vector<FunctionRef> gradients, AttrMap* attrs) {
                        attrs->Set("branches", std::move(gradients));
                      });
}
WB_GRADIENT("Case", CaseGradient);
WB_GRADIENT("StatelessCase", CaseGradient);

}  // namespace
}  // namespace warpbeam
