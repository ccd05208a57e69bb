#include "frontend/image_checks.h"

#include "frontend/array.h"
#include "frontend/check/assertions.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Range(const Scope& inside, const Output& limit) {
  const Scope range = inside.NameScope("range");
  const Output start = Constant(range.Named("start"), 0);
  const Output delta = Constant(range.Named("delta"), 1);
  return BuildOutput(range.Named(range.name_scope()), "Range", {start, limit, delta});
}

}  // namespace

Output WithDependencies(const Scope& inside, const std::vector<Operation>& checks,
                        const Output& x) {
  const Scope beside = inside.ColocateWith(x).ControlDependencies(checks);
  return inside(Identity(beside.Named("control_dependency"), x));
}

Output AllHold(const Scope& inside, const Output& x, const Input& axes) {
  return BuildOutput(inside, "All", {x, axes}, OpAttrs().Set("keep_dims", false));
}

namespace {

Operation AssertPositive(const Scope& inside, const Output& dims) {
  const Scope positive = inside.NameScope("assert_positive");
  const Output zero = Constant(positive.Named("Const"), 0);
  const Scope less = positive.NameScope("assert_less");
  const Output holds =
      AllHold(less, Less(less, zero, dims), Constant(less.Named("Const"), std::vector<int>{0}));
  return Assert(less, holds, {"height, width and channels of an image must be more than 0"}, 3);
}

Operation AssertRank(const Scope& inside, const Output& rank) {
  const Scope check = inside.NameScope("assert_greater_equal");
  const Output three = Constant(check.Named("y"), 3);
  const Output enough = GreaterEqual(check, rank, three);
  const Output holds = AllHold(check, enough, Range(check, Constant(check.Named("Rank"), 0)));
  return Assert(
      check, holds,
      {"an image has at least three dimensions", "x >= y is not so for", "x =", rank, "y =", three},
      3);
}

}  // namespace

bool IsImages(const Scope& scope, const char* function, const Output& images) {
  if (!scope.ok()) return false;
  if (!images.valid()) {
    scope.Fail(InvalidArgument(function, ": the images are an Output that ", images.problem()));
    return false;
  }
  const int rank = images.shape().rank();
  if (rank == 3 || rank == 4) return true;
  scope.Fail(InvalidArgument(
      function, ": '", images.name(),
      "' must be [height, width, channels], or a batch of such images; its shape is ",
      images.shape().ToString(), rank < 0 ? " (set_shape tells it)" : ""));
  return false;
}

int AxisOf(const Output& images, int dim) { return dim + images.shape().rank() - 3; }

int64_t Extent(const Output& images, int dim) { return images.shape().dim(AxisOf(images, dim)); }

Output Checked(const Scope& inside, const Output& images) {
  const bool known = Extent(images, 0) > 0 && Extent(images, 1) > 0 && Extent(images, 2) > 0;
  std::vector<Operation> checks;
  if (!known) {
    checks.push_back(AssertPositive(inside, ElementsFrom(inside, ShapeOf(inside, images), -3)));
    checks.push_back(AssertRank(inside, RankOf(inside, images)));
  }
  return WithDependencies(inside, checks, images);
}

}  // namespace frontend
}  // namespace warpbeam
