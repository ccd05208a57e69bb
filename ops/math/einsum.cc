// Einsum of one or two operands: sums of products over named dimensions.
//
// Each operand is brought into the shape [batch, free, contracted], with diagonals taken and
// dimensions that only it has summed up; the product is a batch of matrix products; the result is
// spread out in the order asked for. Operands that have the right order are not copied.

#include <algorithm>
#include <map>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/einsum_equation.h"
#include "ops/math/gemm.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

using Types = ConcatTypes<FloatTypeList, TypeList<int32_t, int64_t>, ComplexTypeList>;
using Extents = std::map<int, int64_t>;

bool Has(const LabelList& list, int label) {
  return std::find(list.begin(), list.end(), label) != list.end();
}

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

// The dimensions of a tensor by label; one that is named twice is walked along its diagonal.
struct View {
  LabelList labels;
  std::map<int, int64_t> strides;
};

View ViewOf(const LabelList& labels, const Shape& shape, const Extents& extents) {
  View view;
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    // A dimension of an ellipsis that this operand lets the other one spread is not there.
    if (!(labels[i] < 0 && shape.dim(i) == 1 && extents.at(labels[i]) != 1)) {
      if (!Has(view.labels, labels[i])) view.labels.insert(view.labels.begin(), labels[i]);
      view.strides[labels[i]] += stride;
    }
    stride *= shape.dim(i);
  }
  return view;
}

int64_t Product(const LabelList& labels, const Extents& extents) {
  int64_t product = 1;
  for (const int l : labels) product *= extents.at(l);
  return product;
}

// The operand with its dimensions in the given order, all others summed up.
template <class T>
absl::StatusOr<Tensor> Ordered(const Tensor& x, const View& view, const LabelList& order,
                               const Extents& extents, const KernelContext&) {
  const int64_t size = Product(order, extents);
  if (view.labels == order && x.num_elements() == size) return x;
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({size}));
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x.dtype(), shape));
  std::fill_n(out.data<T>(), size, T(0));
  std::vector<LoopDim> dims;
  for (const int l : view.labels) {
    if (!Has(order, l)) dims.push_back({extents.at(l), view.strides.at(l), 0});
  }
  int64_t stride = size;
  for (const int l : order) {
    stride /= std::max<int64_t>(1, extents.at(l));
    dims.push_back({extents.at(l), view.strides.at(l), stride});
  }
  if (x.num_elements() > 0 && size > 0) {
    AddStrided(x.data<T>(), out.data<T>(), dims.data(), static_cast<int>(dims.size()));
  }
  return out;
}

// The result, whose dimensions stand in `order` in `product`; one named twice gets a diagonal.
template <class T>
void SpreadOut(const T* product, const LabelList& order, const EinsumLabels& labels,
               const Extents& extents, Tensor* out) {
  std::fill_n(out->data<T>(), out->num_elements(), T(0));
  if (out->num_elements() == 0) return;
  std::map<int, int64_t> to;
  int64_t stride = 1;
  for (int i = out->rank() - 1; i >= 0; --i) {
    to[labels.output[i]] += stride;
    stride *= out->dim(i);
  }
  std::vector<LoopDim> dims;
  int64_t from = Product(order, extents);
  for (const int l : order) {
    from /= extents.at(l);
    dims.push_back({extents.at(l), from, to.at(l)});
  }
  AddStrided(product, out->data<T>(), dims.data(), static_cast<int>(dims.size()));
}

absl::StatusOr<Extents> ReadExtents(const KernelContext& ctx, const EinsumLabels& labels) {
  Extents extents;
  for (size_t i = 0; i < labels.inputs.size(); ++i) {
    const Shape& shape = ctx.input(static_cast<int>(i)).shape();
    for (int d = 0; d < shape.rank(); ++d) {
      const int label = labels.inputs[i][d];
      const auto [at, is_new] = extents.insert({label, shape.dim(d)});
      if (is_new || at->second == shape.dim(d)) continue;
      if (label < 0 && (at->second == 1 || shape.dim(d) == 1)) {
        if (at->second == 1) at->second = shape.dim(d);
        continue;
      }
      return InvalidArgument("dimension ", d, " of operand ", i, ", of shape ", shape.ToString(),
                             ", is not ", at->second, ", as the equation wants");
    }
  }
  return extents;
}

class EinsumKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const std::string text, init.attr<std::string>("equation"));
    const int n = static_cast<int>(init.input_types.size());
    if (n > 2) return InvalidArgument("there may be at most two operands, but there are ", n);
    WB_ASSIGN_OR_RETURN(EinsumEquation equation, EinsumEquation::Parse(text, n));
    return std::make_unique<EinsumKernel>(std::move(equation));
  }
  explicit EinsumKernel(EinsumEquation equation) : equation_(std::move(equation)) {}

  absl::Status Compute(KernelContext& ctx) override {
    std::vector<int> ranks;
    for (int i = 0; i < ctx.num_inputs(); ++i) ranks.push_back(ctx.input(i).rank());
    WB_ASSIGN_OR_RETURN(const EinsumLabels labels, equation_.Bind(ranks));
    WB_ASSIGN_OR_RETURN(const Extents extents, ReadExtents(ctx, labels));
    std::vector<int64_t> dims;
    for (const int l : labels.output) dims.push_back(extents.at(l));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    return DispatchTypes(Types{}, out->dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      return ctx.num_inputs() == 1 ? One<T>(ctx, labels, extents, out)
                                   : Two<T>(ctx, labels, extents, out);
    });
  }

 private:
  template <class T>
  static absl::Status One(KernelContext& ctx, const EinsumLabels& labels, const Extents& extents,
                          Tensor* out) {
    const View view = ViewOf(labels.inputs[0], ctx.input(0).shape(), extents);
    LabelList order;
    for (const int l : labels.output) {
      if (!Has(order, l)) order.push_back(l);
    }
    WB_ASSIGN_OR_RETURN(const Tensor x, Ordered<T>(ctx.input(0), view, order, extents, ctx));
    SpreadOut(x.data<T>(), order, labels, extents, out);
    return absl::OkStatus();
  }

  template <class T>
  static absl::Status Two(KernelContext& ctx, const EinsumLabels& labels, const Extents& extents,
                          Tensor* out) {
    const View a = ViewOf(labels.inputs[0], ctx.input(0).shape(), extents);
    const View b = ViewOf(labels.inputs[1], ctx.input(1).shape(), extents);
    LabelList batch, contracted, free_a, free_b;
    for (const int l : a.labels) {
      if (Has(b.labels, l)) {
        (Has(labels.output, l) ? batch : contracted).push_back(l);
      } else if (Has(labels.output, l)) {
        free_a.push_back(l);
      }
    }
    for (const int l : b.labels) {
      if (!Has(a.labels, l) && Has(labels.output, l)) free_b.push_back(l);
    }
    const auto join = [](LabelList x, const LabelList& y, const LabelList& z) {
      x.insert(x.end(), y.begin(), y.end());
      x.insert(x.end(), z.begin(), z.end());
      return x;
    };
    GemmProblem p;
    p.m = Product(free_a, extents);
    p.k = Product(contracted, extents);
    p.n = Product(free_b, extents);
    // Either order of the free and the contracted dimensions will do.
    p.transpose_a = !free_a.empty() && a.labels == join(batch, contracted, free_a);
    p.transpose_b = b.labels == join(batch, free_b, contracted);
    const LabelList a_order =
        p.transpose_a ? join(batch, contracted, free_a) : join(batch, free_a, contracted);
    const LabelList b_order =
        p.transpose_b ? join(batch, free_b, contracted) : join(batch, contracted, free_b);
    WB_ASSIGN_OR_RETURN(const Tensor x, Ordered<T>(ctx.input(0), a, a_order, extents, ctx));
    WB_ASSIGN_OR_RETURN(const Tensor y, Ordered<T>(ctx.input(1), b, b_order, extents, ctx));
    const auto offsets = [&p](int64_t i, int64_t* at_a, int64_t* at_b) {
      *at_a = i * p.m * p.k;
      *at_b = i * p.k * p.n;
    };
    const int64_t batches = Product(batch, extents);
    const LabelList order = join(batch, free_a, free_b);
    if (order == labels.output) {
      return BatchGemm(ctx, out->dtype(), p, batches, offsets, x.raw_data(), y.raw_data(),
                       out->raw_data());
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({batches * p.m * p.n}));
    WB_ASSIGN_OR_RETURN(Tensor product, Tensor::Allocate(out->dtype(), shape));
    WB_RETURN_IF_ERROR(BatchGemm(ctx, out->dtype(), p, batches, offsets, x.raw_data(), y.raw_data(),
                                 product.raw_data()));
    SpreadOut(product.data<T>(), order, labels, extents, out);
    return absl::OkStatus();
  }

  const EinsumEquation equation_;
};

absl::Status EinsumShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const std::string text, c.attr<std::string>("equation"));
  WB_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, c.num_inputs()));
  std::vector<int> ranks;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) return absl::OkStatus();
    ranks.push_back(c.input(i).rank());
  }
  WB_ASSIGN_OR_RETURN(const EinsumLabels labels, equation.Bind(ranks));
  Extents extents;
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
  return absl::OkStatus();
}

bool Repeats(const std::string& letters) {
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters.find(letters[i], i + 1) != std::string::npos) return true;
  }
  return false;
}

// The gradient of operand i is an Einsum too: the result's gradient with the other operand, to what
// the operand looks like; dimensions that only the operand has are spread.
absl::Status OperandGradient(GradContext& c, const EinsumEquation& e, int i) {
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
    return absl::OkStatus();
  }
  if (reached.letters == own.letters && own.ellipsis < 0) {
    c.set_dx(i, dx);
    return absl::OkStatus();
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
    return absl::OkStatus();
  }
  // The ellipsis of the operand may have been spread: where it was, the gradient is summed up.
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {c.ShapeOf(x), c.ShapeOf(dx)});
  if (axes.size() == 2) c.set_dx(i, c.ReshapeLike(c.Emit("Sum", {dx, axes[0]}), x));
  return absl::OkStatus();
}

absl::Status EinsumGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(const std::string text, c.attr<std::string>("equation"));
  WB_ASSIGN_OR_RETURN(const EinsumEquation equation, EinsumEquation::Parse(text, c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    WB_RETURN_IF_ERROR(OperandGradient(c, equation, i));
  }
  return absl::OkStatus();
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
