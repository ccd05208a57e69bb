#include "ops/math/einsum/einsum_plan.h"

#include <algorithm>
#include <map>

namespace warpbeam {
namespace {

using Extents = std::map<int, int64_t>;

bool Has(const LabelList& list, int label) {
  return std::find(list.begin(), list.end(), label) != list.end();
}

LabelList Joined(LabelList x, const LabelList& y, const LabelList& z) {
  x.insert(x.end(), y.begin(), y.end());
  x.insert(x.end(), z.begin(), z.end());
  return x;
}

int64_t Product(const LabelList& labels, const Extents& extents) {
  int64_t product = 1;
  for (const int l : labels) product *= extents.at(l);
  return product;
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

EinsumOperand InOrder(const View& view, const LabelList& order, const Extents& extents,
                      const Shape& shape) {
  EinsumOperand operand;
  operand.size = Product(order, extents);
  operand.in_order = view.labels == order && shape.num_elements() == operand.size;
  for (const int l : order) operand.kept.push_back({extents.at(l), view.strides.at(l)});
  for (const int l : view.labels) {
    if (!Has(order, l)) operand.summed.push_back({extents.at(l), view.strides.at(l)});
  }
  return operand;
}

StatusOr<Extents> ReadExtents(const EinsumLabels& labels, const std::vector<const Shape*>& shapes) {
  Extents extents;
  for (size_t i = 0; i < labels.inputs.size(); ++i) {
    const Shape& shape = *shapes[i];
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

// The order of the only operand; what is named twice in the result stands there once.
LabelList PlanOne(const EinsumLabels& labels, const Extents& extents, const Shape& shape,
                  EinsumPlan* plan) {
  LabelList order;
  for (const int l : labels.output) {
    if (!Has(order, l)) order.push_back(l);
  }
  plan->operands = {InOrder(ViewOf(labels.inputs[0], shape, extents), order, extents, shape)};
  return order;
}

// The order of the product.
LabelList PlanTwo(const EinsumLabels& labels, const Extents& extents,
                  const std::vector<const Shape*>& shapes, EinsumPlan* plan) {
  const View a = ViewOf(labels.inputs[0], *shapes[0], extents);
  const View b = ViewOf(labels.inputs[1], *shapes[1], extents);
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
  GemmProblem& p = plan->product;
  p.m = Product(free_a, extents);
  p.k = Product(contracted, extents);
  p.n = Product(free_b, extents);
  // Either order of the free and the contracted dimensions will do.
  p.transpose_a = !free_a.empty() && a.labels == Joined(batch, contracted, free_a);
  p.transpose_b = b.labels == Joined(batch, free_b, contracted);
  const LabelList of_a =
      p.transpose_a ? Joined(batch, contracted, free_a) : Joined(batch, free_a, contracted);
  const LabelList of_b =
      p.transpose_b ? Joined(batch, free_b, contracted) : Joined(batch, contracted, free_b);
  plan->operands = {InOrder(a, of_a, extents, *shapes[0]), InOrder(b, of_b, extents, *shapes[1])};
  plan->batches = Product(batch, extents);
  return Joined(batch, free_a, free_b);
}

}  // namespace

StatusOr<EinsumEquation> ReadEinsumEquation(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string text, init.attr<std::string>("equation"));
  const int n = static_cast<int>(init.input_types.size());
  if (n > 2) return InvalidArgument("there may be at most two operands, but there are ", n);
  return EinsumEquation::Parse(text, n);
}

StatusOr<EinsumPlan> PlanEinsum(const EinsumEquation& equation, const KernelContext& ctx) {
  std::vector<int> ranks;
  std::vector<const Shape*> shapes;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    shapes.push_back(&ctx.input(i).shape());
    ranks.push_back(shapes.back()->rank());
  }
  WB_ASSIGN_OR_RETURN(const EinsumLabels labels, equation.Bind(ranks));
  WB_ASSIGN_OR_RETURN(const Extents extents, ReadExtents(labels, shapes));
  EinsumPlan plan;
  std::vector<int64_t> dims;
  for (const int l : labels.output) dims.push_back(extents.at(l));
  WB_ASSIGN_OR_RETURN(plan.result, Shape::Make(dims));
  const LabelList order = shapes.size() == 1 ? PlanOne(labels, extents, *shapes[0], &plan)
                                             : PlanTwo(labels, extents, shapes, &plan);
  plan.elements = Product(order, extents);
  plan.is_result = order == labels.output;
  std::map<int, int64_t> strides;
  int64_t stride = 1;
  for (int i = plan.result.rank() - 1; i >= 0; --i) {
    strides[labels.output[i]] += stride;
    stride *= plan.result.dim(i);
  }
  for (const int l : order) plan.spread.push_back({extents.at(l), strides.at(l)});
  return plan;
}

}  // namespace warpbeam
