// Einsum of one or two operands: sums of products over named dimensions.
// Operands that have the right order are not copied.

#include <algorithm>
#include <map>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/einsum/einsum_plan.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

using Types = ConcatTypes<FloatTypeList, TypeList<int32_t, int64_t>, ComplexTypeList>;

struct LoopDim {
  int64_t extent;
  int64_t from;  // strides
  int64_t to;
};

// to[…] += from[…] over all dims, the last one innermost.
template <class T>
void AddStrided(const T* from, T* to, const LoopDim* dims, int count) {
  if (count == 0) {
    *to = Plus(*to, *from);
    return;
  }
  const LoopDim& d = dims[0];
  if (count == 1) {
    for (int64_t i = 0; i < d.extent; ++i) to[i * d.to] = Plus(to[i * d.to], from[i * d.from]);
    return;
  }
  for (int64_t i = 0; i < d.extent; ++i) {
    AddStrided(from + i * d.from, to + i * d.to, dims + 1, count - 1);
  }
}

// The operand with its dimensions in the order that is wanted, all others summed up.
template <class T>
StatusOr<Tensor> Ordered(const Tensor& x, const EinsumOperand& operand) {
  if (operand.in_order) return x;
  const int64_t size = operand.size;
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({size}));
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x.dtype(), shape));
  std::fill_n(out.data<T>(), size, T(0));
  std::vector<LoopDim> dims;
  for (const EinsumDim& d : operand.summed) dims.push_back({d.extent, d.stride, 0});
  int64_t stride = size;
  for (const EinsumDim& d : operand.kept) {
    stride /= std::max<int64_t>(1, d.extent);
    dims.push_back({d.extent, d.stride, stride});
  }
  if (x.num_elements() > 0 && size > 0) {
    AddStrided(x.data<T>(), out.data<T>(), dims.data(), static_cast<int>(dims.size()));
  }
  return out;
}

// The result; a dimension that it has twice gets a diagonal.
template <class T>
void SpreadOut(const T* product, const EinsumPlan& plan, Tensor* out) {
  std::fill_n(out->data<T>(), out->num_elements(), T(0));
  if (out->num_elements() == 0) return;
  std::vector<LoopDim> dims;
  int64_t from = plan.elements;
  for (const EinsumDim& d : plan.spread) {
    from /= d.extent;
    dims.push_back({d.extent, from, d.stride});
  }
  AddStrided(product, out->data<T>(), dims.data(), static_cast<int>(dims.size()));
}

class EinsumKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(EinsumEquation equation, ReadEinsumEquation(init));
    return std::make_unique<EinsumKernel>(std::move(equation));
  }
  explicit EinsumKernel(EinsumEquation equation) : equation_(std::move(equation)) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const EinsumPlan plan, PlanEinsum(equation_, ctx));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, plan.result));
    return DispatchTypes(Types{}, out->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ctx.num_inputs() == 1 ? One<T>(ctx, plan, out) : Two<T>(ctx, plan, out);
    });
  }

 private:
  template <class T>
  static Status One(KernelContext& ctx, const EinsumPlan& plan, Tensor* out) {
    WB_ASSIGN_OR_RETURN(const Tensor x, Ordered<T>(ctx.input(0), plan.operands[0]));
    SpreadOut(x.data<T>(), plan, out);
    return OkStatus();
  }

  template <class T>
  static Status Two(KernelContext& ctx, const EinsumPlan& plan, Tensor* out) {
    const GemmProblem& p = plan.product;
    WB_ASSIGN_OR_RETURN(const Tensor x, Ordered<T>(ctx.input(0), plan.operands[0]));
    WB_ASSIGN_OR_RETURN(const Tensor y, Ordered<T>(ctx.input(1), plan.operands[1]));
    const auto offsets = [&p](int64_t i, int64_t* at_a, int64_t* at_b) {
      *at_a = i * p.m * p.k;
      *at_b = i * p.k * p.n;
    };
    const auto multiply = [&](Tensor* product) {
      return BatchGemm(ctx, out->dtype(), p, plan.batches, offsets, x.raw_data(), y.raw_data(),
                       product->raw_data());
    };
    if (plan.is_result) return multiply(out);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({plan.elements}));
    WB_ASSIGN_OR_RETURN(Tensor product, Tensor::Allocate(out->dtype(), shape));
    WB_RETURN_IF_ERROR(multiply(&product));
    SpreadOut(product.data<T>(), plan, out);
    return OkStatus();
  }

  const EinsumEquation equation_;
};

Status EinsumShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const std::string text, c.attr<std::string>("equation"));
  WB_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, c.num_inputs()));
  std::vector<int> ranks;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) return OkStatus();
    ranks.push_back(c.input(i).rank());
  }
  WB_ASSIGN_OR_RETURN(const EinsumLabels labels, equation.Bind(ranks));
  std::map<int, int64_t> extents;
  for (int i = 0; i < c.num_inputs(); ++i) {
    for (int d = 0; d < ranks[i]; ++d) {
      const int label = labels.inputs[i][d];
      const PartialShape one({c.input(i).dim(d)});
      const auto [at, is_new] = extents.insert({label, one.dim(0)});
      if (is_new) continue;
      WB_ASSIGN_OR_RETURN(const PartialShape both,
                          label < 0 ? ShapeContext::Broadcast(PartialShape({at->second}), one)
                                    : PartialShape::Merge(PartialShape({at->second}), one));
      at->second = both.dim(0);
    }
  }
  std::vector<int64_t> dims;
  for (const int l : labels.output) dims.push_back(extents.at(l));
  c.set_output(0, PartialShape(dims));
  return OkStatus();
}

bool Repeats(const std::string& letters) {
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters.find(letters[i], i + 1) != std::string::npos) return true;
  }
  return false;
}

// The gradient of operand i is an Einsum too: the result's gradient with the other operand, to what
// the operand looks like; dimensions that only the operand has are spread.
Status OperandGradient(GradContext& c, const EinsumEquation& e, int i) {
  const EinsumEquation::Term& own = e.inputs[i];
  const EinsumEquation::Term* other = e.inputs.size() == 2 ? &e.inputs[1 - i] : nullptr;
  if (Repeats(own.letters) || Repeats(e.output.letters) ||
      (own.ellipsis >= 0 && e.output.ellipsis < 0)) {
    return Unimplemented(
        "the gradient of an Einsum with a dimension named twice in one term, or "
        "with an ellipsis that is summed up; use Transpose, MatrixDiagPart or Sum "
        "for that part");
  }
  EinsumEquation::Term reached = own;
  reached.letters.clear();
  for (size_t k = 0; k < own.letters.size(); ++k) {
    const char l = own.letters[k];
    const bool known = e.output.letters.find(l) != std::string::npos ||
                       (other != nullptr && other->letters.find(l) != std::string::npos);
    if (known) {
      reached.letters += l;
    } else if (own.ellipsis > static_cast<int>(k)) {
      --reached.ellipsis;
    }
  }
  // An ellipsis of the result that this operand lacks is summed up.
  const OutputRef x = c.x(i);
  OutputRef dx;
  if (other == nullptr) {
    dx = c.Emit("Einsum", {std::vector<OutputRef>{c.dy(0)}},
                {{"equation", e.output.ToString() + "->" + reached.ToString()}});
  } else {
    dx = c.Emit(
        "Einsum", {{c.dy(0), c.Conj(c.x(1 - i))}},
        {{"equation", e.output.ToString() + "," + other->ToString() + "->" + reached.ToString()}});
  }
  const PartialShape &have = c.shape(dx), &want = c.shape(x);
  if (have.IsFullyDefined() && want.IsFullyDefined() && have == want) {
    c.set_dx(i, dx);
    return OkStatus();
  }
  if (reached.letters == own.letters && own.ellipsis < 0) {
    c.set_dx(i, dx);
    return OkStatus();
  }
  if (reached.letters != own.letters) {
    if (!want.IsFullyDefined() || own.ellipsis >= 0) {
      return Unimplemented(
          "the gradient of an Einsum that sums up a dimension of one operand "
          "whose shape is not known; use Sum for that part");
    }
    std::vector<int32_t> kept;
    for (size_t k = 0; k < own.letters.size(); ++k) {
      const bool is_reached = reached.letters.find(own.letters[k]) != std::string::npos;
      kept.push_back(is_reached ? static_cast<int32_t>(want.dim(static_cast<int>(k))) : 1);
    }
    dx = c.Reshape(dx, c.Constant(Tensor::Vector<int32_t>(kept)));
    c.set_dx(i, c.Emit("BroadcastTo", {dx, c.ShapeOf(x)}));
    return OkStatus();
  }
  // The ellipsis of the operand may have been spread: where it was, the gradient is summed up.
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {c.ShapeOf(x), c.ShapeOf(dx)});
  if (axes.size() == 2) c.set_dx(i, c.ReshapeLike(c.Emit("Sum", {dx, axes[0]}), x));
  return OkStatus();
}

Status EinsumGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(const std::string text, c.attr<std::string>("equation"));
  WB_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    WB_RETURN_IF_ERROR(OperandGradient(c, equation, i));
  }
  return OkStatus();
}

}  // namespace

WB_OP("Einsum")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("equation: string")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(EinsumShape);
WB_KERNEL("Einsum", EinsumKernel)
    .Cpu({{"T", TypeSetOf(Types{})}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes}})
    .WarmUp(WarmUpGemm);
WB_GRADIENT("Einsum", EinsumGradient);

}  // namespace warpbeam::host_pass
