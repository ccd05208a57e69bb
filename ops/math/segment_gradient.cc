// Gradients of the segment ops: each row gets its segment's gradient, times what the op says of it.

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {
namespace {

OutputRef Gather(GradContext& c, OutputRef params, OutputRef ids) {
  return c.Emit("GatherV2", {params, ids, c.Scalar<int32_t>(0)});
}
OutputRef IsZero(GradContext& c, OutputRef x) { return c.Emit("Equal", {x, c.ZerosLike(x)}); }
OutputRef Choose(GradContext& c, OutputRef condition, OutputRef t, OutputRef e) {
  return c.Emit("SelectV2", {condition, t, e});
}

// Sorted segments: every row belongs to one. Unsorted ones: rows with a negative number belong to
// none, and gather zeros (ones where they must not be divided by zero).
struct Segments {
  GradContext& c;
  bool sorted;

  OutputRef ids() const { return c.x(1); }
  // The ids in a type that has constants.
  OutputRef wide_ids() const {
    return c.type(ids()) == DType::kInt16 ? c.Cast(ids(), DType::kInt32) : ids();
  }
  OutputRef Sum(OutputRef rows) const {
    return sorted ? c.Emit("SegmentSum", {rows, ids()})
                  : c.Emit("UnsortedSegmentSum", {rows, ids(), c.x(2)});
  }
  OutputRef Prod(OutputRef rows) const {
    return sorted ? c.Emit("SegmentProd", {rows, ids()})
                  : c.Emit("UnsortedSegmentProd", {rows, ids(), c.x(2)});
  }
  // Whether each element of `rows` belongs to a segment.
  OutputRef Belongs(OutputRef rows) const {
    const OutputRef wide = wide_ids();
    const OutputRef kept = c.Emit("GreaterEqual", {wide, c.ScalarLike(wide, 0)});
    const OutputRef missing = c.Sub(c.RankOf(rows), c.RankOf(ids()));
    const OutputRef ones = c.Emit(
        "Fill", {c.Emit("ExpandDims", {missing, c.Scalar<int32_t>(0)}), c.Scalar<int32_t>(1)});
    const OutputRef shape = c.Emit("ConcatV2", {{c.ShapeOf(ids()), ones}, c.Scalar<int32_t>(0)});
    return c.Reshape(kept, shape);
  }
  OutputRef Rows(OutputRef per_segment) const {
    if (sorted) return Gather(c, per_segment, ids());
    const OutputRef wide = wide_ids();
    const OutputRef rows = Gather(c, per_segment, c.Emit("Maximum", {wide, c.ScalarLike(wide, 0)}));
    return Choose(c, Belongs(rows), rows, c.ZerosLike(rows));
  }
};

Status SumRows(GradContext& c, bool sorted) {
  c.set_dx(0, Segments{c, sorted}.Rows(c.dy(0)));
  return OkStatus();
}
Status SegmentSumGradient(GradContext& c) { return SumRows(c, true); }
Status UnsortedSegmentSumGradient(GradContext& c) { return SumRows(c, false); }

Status SegmentMeanGradient(GradContext& c) {
  const Segments segments{c, true};
  // The sizes of the segments, in a shape that broadcasts against dy.
  const OutputRef x = c.x(0), zero = c.Scalar<int32_t>(0), one = c.Scalar<int32_t>(1);
  const OutputRef tail = c.Emit("ExpandDims", {c.Sub(c.RankOf(x), one), zero});
  const OutputRef shape =
      c.Emit("ConcatV2", {{c.ShapeOf(segments.ids()), c.Emit("Fill", {tail, one})}, zero});
  const OutputRef ones = c.Emit("Fill", {shape, c.ScalarLike(x, 1)});
  c.set_dx(0, segments.Rows(c.Div(c.dy(0), segments.Sum(ones))));
  return OkStatus();
}

// Elements that equal their segment's extremum share its gradient.
Status Extremum(GradContext& c, bool sorted) {
  const Segments segments{c, sorted};
  const OutputRef x = c.x(0);
  OutputRef chosen = c.Emit("Equal", {x, segments.Rows(c.y(0))});
  if (!sorted) chosen = c.Emit("LogicalAnd", {chosen, segments.Belongs(x)});
  const OutputRef count = segments.Sum(c.Cast(chosen, c.type(c.dy(0))));
  const OutputRef share = segments.Rows(c.Div(c.dy(0), count));
  c.set_dx(0, Choose(c, chosen, share, c.ZerosLike(x)));
  return OkStatus();
}
Status SegmentExtremumGradient(GradContext& c) { return Extremum(c, true); }
Status UnsortedSegmentExtremumGradient(GradContext& c) { return Extremum(c, false); }

// The product of a segment's other elements: the whole divided by the element, but where there is
// a zero the product of all that are not.
Status Product(GradContext& c, bool sorted) {
  const Segments segments{c, sorted};
  const OutputRef x = c.x(0), is_zero = IsZero(c, x);
  const OutputRef zeros = segments.Sum(c.Cast(is_zero, DType::kInt32));
  const OutputRef many = c.Emit("Greater", {zeros, c.Scalar<int32_t>(1)});
  const OutputRef dy = Choose(c, many, c.ZerosLike(c.dy(0)), c.dy(0));
  const OutputRef not_zero = Choose(c, is_zero, c.Emit("OnesLike", {x}), x);
  const OutputRef rest = segments.Rows(segments.Prod(not_zero));
  const OutputRef divided = c.Div(segments.Rows(c.y(0)), not_zero);
  c.set_dx(0, c.Mul(segments.Rows(dy), Choose(c, is_zero, rest, divided)));
  return OkStatus();
}
Status SegmentProdGradient(GradContext& c) { return Product(c, true); }
Status UnsortedSegmentProdGradient(GradContext& c) { return Product(c, false); }

}  // namespace

WB_GRADIENT("SegmentSum", SegmentSumGradient);
WB_GRADIENT("SegmentMean", SegmentMeanGradient);
WB_GRADIENT("SegmentMax", SegmentExtremumGradient);
WB_GRADIENT("SegmentMin", SegmentExtremumGradient);
WB_GRADIENT("SegmentProd", SegmentProdGradient);
WB_GRADIENT("UnsortedSegmentSum", UnsortedSegmentSumGradient);
WB_GRADIENT("UnsortedSegmentMax", UnsortedSegmentExtremumGradient);
WB_GRADIENT("UnsortedSegmentMin", UnsortedSegmentExtremumGradient);
WB_GRADIENT("UnsortedSegmentProd", UnsortedSegmentProdGradient);

}  // namespace warpbeam
