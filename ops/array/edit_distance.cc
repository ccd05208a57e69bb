// EditDistance: for two sparse tensors of sequences, which stand along the last dimension, how many
// insertions, deletions and replacements turn each hypothesis into its truth; normalised, as a part
// of the truth's length.

#include <algorithm>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using Prefix = Span<const int64_t>;  // all indices but the last: names a sequence

template <class T>
int64_t Distance(Span<const T> a, Span<const T> b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 0; i < a.size() && !RunningStep::IsOver(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(row[j], row[j + 1]) + 1);
    }
  }
  return row.back();
}

// Three inputs of the op: indices, values, shape.
struct SparseSequences {
  const char* name;
  const Tensor& indices;
  const Tensor& values;
  const Tensor& shape;

  int64_t rank() const { return shape.num_elements(); }
  Prefix PrefixAt(int64_t i) const {
    return {indices.data<int64_t>() + i * rank(), static_cast<size_t>(rank() - 1)};
  }
  // One past the last value of the sequence that begins with value i.
  int64_t EndOf(int64_t i) const {
    int64_t end = i + 1;
    while (end < values.num_elements() && PrefixAt(end) == PrefixAt(i)) ++end;
    return end;
  }
  Status Check() const {
    if (indices.rank() != 2 || values.rank() != 1 || shape.rank() != 1) {
      return InvalidArgument("the ", name, " must be a matrix of indices, a vector of values and ",
                             "a vector that is the shape, but they have the shapes ",
                             indices.shape().ToString(), ", ", values.shape().ToString(), " and ",
                             shape.shape().ToString());
    }
    if (indices.dim(0) != values.dim(0) || indices.dim(1) != rank()) {
      return InvalidArgument("the ", name, " has indices of shape ", indices.shape().ToString(),
                             " for ", values.dim(0), " values and a shape of ", rank(),
                             " dimensions");
    }
    if (rank() < 2) {
      return InvalidArgument("the ", name, " must have at least two dimensions, but has ", rank());
    }
    return OkStatus();
  }
};

class EditDistanceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool normalize, init.attr<bool>("normalize"));
    return std::make_unique<EditDistanceKernel>(normalize);
  }
  explicit EditDistanceKernel(bool normalize) : normalize_(normalize) {}

  Status Compute(KernelContext& ctx) override {
    const SparseSequences hypothesis{"hypothesis", ctx.input(0), ctx.input(1), ctx.input(2)};
    const SparseSequences truth{"truth", ctx.input(3), ctx.input(4), ctx.input(5)};
    WB_RETURN_IF_ERROR(hypothesis.Check());
    WB_RETURN_IF_ERROR(truth.Check());
    if (hypothesis.rank() != truth.rank()) {
      return InvalidArgument("the hypothesis has ", hypothesis.rank(),
                             " dimensions, the truth has ", truth.rank());
    }
    std::vector<int64_t> extents(truth.rank() - 1);
    for (size_t i = 0; i < extents.size(); ++i) {
      const int64_t a = hypothesis.shape.data<int64_t>()[i], b = truth.shape.data<int64_t>()[i];
      if (a < 0 || b < 0) return InvalidArgument("a dimension is negative: ", std::min(a, b));
      extents[i] = std::max(a, b);
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(extents));
    WB_ASSIGN_OR_RETURN(Tensor * distances, ctx.Allocate(0, shape));
    std::fill_n(distances->data<float>(), shape.num_elements(), 0.0f);
    using Types = ConcatTypes<NumberTypeList, TypeList<bool, std::string>>;
    return DispatchTypes(Types{}, truth.values.dtype(), [&](auto tag) {
      return Walk<typename decltype(tag)::type>(hypothesis, truth, distances);
    });
  }

 private:
  // Both are sorted by their indices: two sequences belong together where their prefixes meet.
  template <class T>
  Status Walk(const SparseSequences& hypothesis, const SparseSequences& truth,
              Tensor* distances) const {
    const int64_t hypotheses = hypothesis.values.num_elements();
    const int64_t truths = truth.values.num_elements();
    int64_t h = 0, t = 0;
    while (h < hypotheses || t < truths) {
      if (RunningStep::IsOver()) return StepIsOver();
      const bool take_h =
          t == truths || (h < hypotheses && !(truth.PrefixAt(t) < hypothesis.PrefixAt(h)));
      const bool take_t =
          h == hypotheses || (t < truths && !(hypothesis.PrefixAt(h) < truth.PrefixAt(t)));
      const int64_t h_end = take_h ? hypothesis.EndOf(h) : h;
      const int64_t t_end = take_t ? truth.EndOf(t) : t;
      const Prefix place = take_h ? hypothesis.PrefixAt(h) : truth.PrefixAt(t);
      WB_ASSIGN_OR_RETURN(float* distance, Element(place, distances));
      const Span<const T> a = hypothesis.values.flat<T>().subspan(h, h_end - h);
      const Span<const T> b = truth.values.flat<T>().subspan(t, t_end - t);
      *distance = static_cast<float>(Distance(a, b));
      if (normalize_ && take_t) *distance /= static_cast<float>(b.size());
      // Any hypothesis is infinitely far from a truth of no elements.
      if (normalize_ && !take_t) *distance = std::numeric_limits<float>::infinity();
      h = h_end;
      t = t_end;
    }
    return OkStatus();
  }

  static StatusOr<float*> Element(Prefix place, Tensor* distances) {
    int64_t offset = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      const int64_t extent = distances->dim(static_cast<int>(i));
      if (place[i] < 0 || place[i] >= extent) {
        return Internal("index ", place[i], " in dimension ", i, " of extent ", extent,
                        " is out of bounds");
      }
      offset = offset * extent + place[i];
    }
    return distances->data<float>() + offset;
  }

  const bool normalize_;
};

Status EditDistanceShape(ShapeContext& c) {
  for (const int first : {0, 3}) {
    WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
    WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
    WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
    const PartialShape wanted({values.dim(0), shape.dim(0)});
    WB_RETURN_IF_ERROR(PartialShape::Merge(indices, wanted).status());
  }
  c.set_output(0, PartialShape::Unknown());
  const std::optional<Tensor> hypothesis = c.ConstantInput(2), truth = c.ConstantInput(5);
  if (!hypothesis || !truth) return OkStatus();
  const int64_t rank = truth->num_elements();
  if (rank < 2 || hypothesis->num_elements() != rank) {
    return InvalidArgument("hypothesis and truth must have the same dimensions, at least two, but ",
                           "have ", hypothesis->num_elements(), " and ", rank);
  }
  std::vector<int64_t> extents(rank - 1);
  for (size_t i = 0; i < extents.size(); ++i) {
    extents[i] = std::max(hypothesis->data<int64_t>()[i], truth->data<int64_t>()[i]);
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(extents));
  c.set_output(0, shape);
  return OkStatus();
}

WB_OP("EditDistance")
    .Input("hypothesis_indices: int64")
    .Input("hypothesis_values: T")
    .Input("hypothesis_shape: int64")
    .Input("truth_indices: int64")
    .Input("truth_values: T")
    .Input("truth_shape: int64")
    .Output("output: float")
    .Attr("normalize: bool = true")
    .Attr("T: type")
    .Shape(EditDistanceShape);
WB_KERNEL("EditDistance", EditDistanceKernel)
    .Cpu({{"T", kNumberTypes | TypeSet{DType::kBool, DType::kString}}});
WB_NO_GRADIENT("EditDistance");

}  // namespace
}  // namespace warpbeam
