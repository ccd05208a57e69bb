#include "frontend/linalg/matrices.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/signal/arguments.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

Output VectorNorm(const Scope& inside, const Output& x, const NormOptions& options,
                  const Input& axes) {
  const bool keep = options.keeps_dims;
  if (!options.order.has_value() || *options.order == 2) {
    return Sqrt(inside,
                Real(inside, ReduceSum(inside, Multiply(inside, x, Conj(inside, x)), axes, keep)));
  }
  const Output size = Abs(inside, x);
  if (std::isinf(*options.order)) return ReduceMax(inside, size, axes, keep);
  if (*options.order == 1) return ReduceSum(inside, size, axes, keep);
  const Output sum = ReduceSum(inside, Pow(inside, size, *options.order), axes, keep);
  return Pow(inside, sum, 1 / *options.order);
}

// Of the two dimensions `rows` and `columns`, which are not negative.
Output MatrixNorm(const Scope& inside, const Output& x, const NormOptions& options, int rows,
                  int columns) {
  const int rank = Input(x).rank();
  Output norm;
  if (!options.order.has_value()) {
    return VectorNorm(inside, x, options, std::vector<int32_t>{rows, columns});
  }
  if (*options.order == 2) {
    std::vector<int32_t> order;
    for (int i = 0; i < rank; ++i) {
      if (i != rows && i != columns) order.push_back(i);
    }
    order.insert(order.end(), {rows, columns});
    const Output singular = Svd(inside, Transpose(inside, x, order), false, false).s;
    norm = ReduceMax(inside, singular, {-1});
    for (const int axis : {std::min(rows, columns), std::max(rows, columns)}) {
      if (options.keeps_dims) norm = ExpandDims(inside, norm, axis);
    }
    return norm;
  }
  // The greatest sum of a column, or of a row.
  const int summed = *options.order == 1 ? rows : columns;
  const int compared = *options.order == 1 ? columns : rows;
  const Output sums =
      ReduceSum(inside, Abs(inside, x), std::vector<int32_t>{summed}, /*keep_dims=*/true);
  const Output greatest =
      ReduceMax(inside, sums, std::vector<int32_t>{compared}, /*keep_dims=*/true);
  if (options.keeps_dims) return greatest;
  return Squeeze(inside, greatest, {rows, columns});
}

// x as a matrix with the dimensions `summed` together, and the extents of the others.
struct Flattened {
  Output matrix;
  Output free_shape;
};

Flattened Flatten(const Scope& inside, const Output& x, const std::vector<int>& summed,
                  bool summed_first) {
  const int rank = Input(x).rank();
  std::vector<int32_t> free;
  for (int i = 0; i < rank; ++i) {
    if (std::find(summed.begin(), summed.end(), i) == summed.end()) free.push_back(i);
  }
  std::vector<int32_t> order(summed.begin(), summed.end());
  order.insert(summed_first ? order.end() : order.begin(), free.begin(), free.end());
  const Output shape = BuildOutput(inside, "Shape", {x});
  const Output free_shape =
      Gather(inside, shape,
             Constant(inside, free, DType::kInt32, Shape({static_cast<int64_t>(free.size())})));
  const Output free_size = ReduceProd(inside, free_shape, {0});
  const Output summed_size =
      ReduceProd(inside,
                 Gather(inside, shape,
                        Constant(inside, std::vector<int32_t>(summed.begin(), summed.end()),
                                 DType::kInt32, Shape({static_cast<int64_t>(summed.size())}))),
                 {0});
  const Output dims = summed_first ? Stack(inside, {summed_size, free_size})
                                   : Stack(inside, {free_size, summed_size});
  return {Reshape(inside, Transpose(inside, x, order), dims), free_shape};
}

// The letters of `label` that `kept` has, each once.
std::string KeptLetters(const std::string& label, const std::string& kept) {
  std::string result;
  for (const char letter : label) {
    if (letter == '.') continue;
    if (kept.find(letter) != std::string::npos && result.find(letter) == std::string::npos) {
      result += letter;
    }
  }
  return result;
}

std::vector<std::string> SplitLabels(const std::string& text) {
  std::vector<std::string> labels(1);
  for (const char c : text) {
    if (c == ',') {
      labels.emplace_back();
    } else if (c != ' ') {
      labels.back() += c;
    }
  }
  return labels;
}

// What stands right of the arrow where there is none: the letters that stand once, in their order.
std::string ImpliedResult(const std::string& left) {
  std::string once;
  for (const char c : left) {
    if (std::isalpha(static_cast<unsigned char>(c)) &&
        std::count(left.begin(), left.end(), c) == 1) {
      once += c;
    }
  }
  std::sort(once.begin(), once.end());
  return (left.find('.') != std::string::npos ? "..." : "") + once;
}

}  // namespace

Output Eye(ScopeRef scope_ref, int64_t rows, std::optional<int64_t> columns,
           const std::vector<int64_t>& batch_shape, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("eye");
  const int64_t width = columns.value_or(rows);
  std::vector<int64_t> ones_shape = batch_shape;
  ones_shape.push_back(std::min(rows, width));
  const StatusOr<Shape> shape = Shape::Make(ones_shape);
  if (!shape.ok() || rows < 0 || width < 0) {
    scope.Fail(
        InvalidArgument("Eye needs extents that are not negative, not ", rows, " by ", width));
    return Output();
  }
  const Output ones = Ones(inside, *shape, dtype);
  if (rows == width) return scope(MatrixDiag(inside, ones));
  std::vector<int64_t> whole = batch_shape;
  whole.insert(whole.end(), {rows, width});
  const StatusOr<Shape> whole_shape = Shape::Make(whole);
  if (!whole_shape.ok()) {
    scope.Fail(whole_shape.status());
    return Output();
  }
  return scope(MatrixSetDiag(inside, Zeros(inside, *whole_shape, dtype), ones));
}

Output MatrixTranspose(ScopeRef scope_ref, const Output& x, bool conjugate) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("matrix_transpose");
  if (FailRank(scope, "MatrixTranspose", x, 2)) return Output();
  std::vector<int32_t> order;
  for (int i = 0; i < Input(x).rank(); ++i) order.push_back(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const char* const op = conjugate && IsComplex(x.dtype()) ? "ConjugateTranspose" : "Transpose";
  return scope(BuildOutput(inside.Named("transpose"), op, {x, order}));
}

Output Diag(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "Diag", {x}); }

Output DiagPart(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "DiagPart", {x});
}

Output MatrixDiag(ScopeRef scope_ref, const Input& diagonal, int k) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("diag");
  const Output x = AsOutput(inside.Named("diagonal"), diagonal);
  return scope(BuildOutput(inside, "MatrixDiagV3",
                           {x, k, -1, -1, Constant(inside.Named("padding_value"), 0, x.dtype())},
                           OpAttrs().Set("align", "RIGHT_LEFT")));
}

Output MatrixDiagPart(ScopeRef scope_ref, const Input& x, int k) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("diag_part");
  const Output matrix = AsOutput(inside.Named("input"), x);
  return scope(BuildOutput(inside, "MatrixDiagPartV3",
                           {matrix, k, Constant(inside.Named("padding_value"), 0, matrix.dtype())},
                           OpAttrs().Set("align", "RIGHT_LEFT")));
}

Output MatrixSetDiag(ScopeRef scope_ref, const Input& x, const Input& diagonal, int k) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("set_diag");
  return scope(BuildOutput(inside, "MatrixSetDiagV3", {x, diagonal, k},
                           OpAttrs().Set("align", "RIGHT_LEFT")));
}

Output MatrixBandPart(ScopeRef scope, const Input& x, const Input& lower, const Input& upper) {
  return BuildOutput(scope.scope(), "MatrixBandPart", {x, lower, upper});
}

Output Trace(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("Trace");
  return scope(ReduceSum(inside, MatrixDiagPart(inside, x), {-1}));
}

Output Cross(ScopeRef scope, const Input& a, const Input& b) {
  return BuildOutput(scope.scope(), "Cross", {a, b});
}

Output Tensordot(ScopeRef scope_ref, const Output& a, const Output& b, int axes) {
  const Scope scope = scope_ref.scope();
  if (FailRank(scope, "Tensordot", a, axes) || FailRank(scope, "Tensordot", b, axes))
    return Output();
  if (axes < 0) {
    scope.Fail(InvalidArgument("Tensordot over ", axes, " dimensions"));
    return Output();
  }
  std::vector<int> of_a, of_b;
  for (int i = 0; i < axes; ++i) {
    of_a.push_back(Input(a).rank() - axes + i);
    of_b.push_back(i);
  }
  return Tensordot(scope, a, b, of_a, of_b);
}

Output Tensordot(ScopeRef scope_ref, const Output& a, const Output& b,
                 const std::vector<int>& axes_a, const std::vector<int>& axes_b) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("Tensordot");
  if (FailRank(scope, "Tensordot", a, 0) || FailRank(scope, "Tensordot", b, 0)) return Output();
  std::vector<int> of_a = axes_a, of_b = axes_b;
  bool good = of_a.size() == of_b.size();
  for (auto [axes, rank] : {std::make_pair(&of_a, Input(a).rank()), {&of_b, Input(b).rank()}}) {
    for (int& axis : *axes) {
      if (axis < 0) axis += rank;
      good = good && axis >= 0 && axis < rank && std::count(axes->begin(), axes->end(), axis) == 1;
    }
  }
  if (!good) {
    scope.Fail(InvalidArgument("Tensordot needs as many dimensions of ", a.shape().ToString(),
                               " as of ", b.shape().ToString(), ", each once"));
    return Output();
  }
  const Flattened left = Flatten(inside, a, of_a, /*summed_first=*/false);
  const Flattened right = Flatten(inside, b, of_b, /*summed_first=*/true);
  const Output product = MatMul(inside, left.matrix, right.matrix);
  const Output shape = Concat(inside, {left.free_shape, right.free_shape}, 0);
  return scope(Reshape(inside.Named(inside.name_scope()), product, shape));
}

Output Einsum(ScopeRef scope_ref, const std::string& equation, const std::vector<Output>& inputs) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("einsum");
  if (!scope.ok()) return Output();
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  std::vector<std::string> labels = SplitLabels(left);
  const std::string result =
      arrow == std::string::npos ? ImpliedResult(left) : SplitLabels(equation.substr(arrow + 2))[0];
  if (labels.size() != inputs.size() || inputs.empty()) {
    scope.Fail(InvalidArgument("the equation ", equation, " is of ", labels.size(),
                               " tensors, but there are ", inputs.size()));
    return Output();
  }
  std::vector<Output> rest = inputs;
  while (rest.size() > 2) {
    std::string kept = result;
    for (size_t i = 2; i < labels.size(); ++i) kept += labels[i];
    const bool dots = (labels[0] + labels[1]).find('.') != std::string::npos;
    const std::string joined = (dots ? "..." : "") + KeptLetters(labels[0] + labels[1], kept);
    const std::string step = labels[0] + "," + labels[1] + "->" + joined;
    rest[1] = BuildOutput(inside.Named("Einsum"), "Einsum", {InputList({rest[0], rest[1]})},
                          OpAttrs().Set("equation", step));
    labels[1] = joined;
    rest.erase(rest.begin());
    labels.erase(labels.begin());
  }
  std::string last = labels[0];
  if (labels.size() > 1) last += "," + labels[1];
  last += "->" + result;
  return scope(BuildOutput(inside.Named("Einsum"), "Einsum", {InputList(rest)},
                           OpAttrs().Set("equation", last)));
}

Output Norm(ScopeRef scope_ref, const Output& x, const NormOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("norm");
  if (FailRank(scope, "Norm", x, 0)) return Output();
  const int rank = Input(x).rank();
  std::vector<int32_t> axes(options.axes.begin(), options.axes.end());
  bool good = axes.size() <= 2 && (axes.size() < 2 || axes[0] != axes[1]);
  for (int32_t& axis : axes) {
    if (axis < 0) axis += rank;
    good = good && axis >= 0 && axis < rank;
  }
  const double order = options.order.value_or(2);
  good = good && order > 0 && !std::isnan(order);
  if (axes.size() == 2) good = good && (order == 1 || order == 2 || std::isinf(order));
  if (!good) {
    scope.Fail(InvalidArgument("there is no norm of order ", order, " over ", axes.size(),
                               " such dimensions of a tensor of shape ", x.shape().ToString()));
    return Output();
  }
  if (axes.size() == 2) return scope(MatrixNorm(inside, x, options, axes[0], axes[1]));
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  return scope(VectorNorm(
      inside, x, options,
      Constant(inside, axes, DType::kInt32, Shape({static_cast<int64_t>(axes.size())}))));
}

Output MatrixDeterminant(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "MatrixDeterminant", {x});
}

Output MatrixInverse(ScopeRef scope, const Input& x, bool adjoint) {
  return BuildOutput(scope.scope(), "MatrixInverse", {x}, OpAttrs().Set("adjoint", adjoint));
}

Output MatrixSquareRoot(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "MatrixSquareRoot", {x});
}

Output MatrixSolve(ScopeRef scope, const Input& a, const Input& b, bool adjoint) {
  return BuildOutput(scope.scope(), "MatrixSolve", {a, b}, OpAttrs().Set("adjoint", adjoint));
}

Output MatrixTriangularSolve(ScopeRef scope_ref, const Input& a, const Input& b, bool lower,
                             bool adjoint) {
  const Scope scope = scope_ref.scope();
  return scope(BuildOutput(scope.OpenScope("triangular_solve"), "MatrixTriangularSolve", {a, b},
                           OpAttrs().Set("lower", lower).Set("adjoint", adjoint)));
}

Output MatrixSolveLs(ScopeRef scope_ref, const Output& a, const Output& b, double l2_regularizer,
                     bool fast) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("matrix_solve_ls");
  if (FailRank(scope, "MatrixSolveLs", a, 2)) return Output();
  const int64_t rows = a.shape().dim(Input(a).rank() - 2);
  const int64_t columns = a.shape().dim(Input(a).rank() - 1);
  if (!fast || rows < 0 || columns < 0) {
    return scope(BuildOutput(inside, "MatrixSolveLs",
                             {a, b, Constant(inside, l2_regularizer, DType::kDouble)},
                             OpAttrs().Set("fast", fast)));
  }
  // By the normal equations of the smaller side, as TensorFlow's Python: that has gradients.
  const bool tall = rows >= columns;
  Output gram = MatMul(inside, a, a, tall, !tall);
  if (l2_regularizer != 0) {
    const Output diagonal = MatrixDiagPart(inside, gram);
    gram = MatrixSetDiag(inside, gram, Add(inside, diagonal, l2_regularizer));
  }
  const Output factor = Cholesky(inside, gram);
  if (tall) return scope(CholeskySolve(inside, factor, MatMul(inside, a, b, true, false)));
  return scope(MatMul(inside, a, CholeskySolve(inside, factor, b), true, false));
}

Output Cholesky(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "Cholesky", {x});
}

Output CholeskySolve(ScopeRef scope_ref, const Output& l, const Output& b) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("cholesky_solve");
  const Output half = MatrixTriangularSolve(inside, l, b);
  return scope(MatrixTriangularSolve(inside, l, half, /*lower=*/true, /*adjoint=*/true));
}

EigenParts SelfAdjointEig(ScopeRef scope, const Input& x) {
  const auto out =
      BuildOutputs(scope.scope(), "SelfAdjointEigV2", {x}, OpAttrs().Set("compute_v", true), 2);
  return {out[0], out[1]};
}

Output SelfAdjointEigvals(ScopeRef scope, const Input& x) {
  return BuildOutputs(scope.scope(), "SelfAdjointEigV2", {x}, OpAttrs().Set("compute_v", false),
                      2)[0];
}

QrParts Qr(ScopeRef scope, const Input& x, bool full_matrices) {
  const auto out =
      BuildOutputs(scope.scope(), "Qr", {x}, OpAttrs().Set("full_matrices", full_matrices), 2);
  return {out[0], out[1]};
}

SvdParts Svd(ScopeRef scope, const Input& x, bool full_matrices, bool compute_uv) {
  const auto out =
      BuildOutputs(scope.scope(), "Svd", {x},
                   OpAttrs().Set("compute_uv", compute_uv).Set("full_matrices", full_matrices), 3);
  if (!compute_uv) return {out[0], Output(), Output()};
  return {out[0], out[1], out[2]};
}

}  // namespace frontend
}  // namespace warpbeam
