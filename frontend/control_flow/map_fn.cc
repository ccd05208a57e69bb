#include "frontend/control_flow/map_fn.h"

#include <utility>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/tensor_array.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// The rows of several tensors, and how many there are.
class Rows {
 public:
  Rows(const Scope& scope, const InputList& elems) : scope_(scope) {
    if (elems.size() == 0) {
      scope.Fail(InvalidArgument("there are no tensors to take rows of"));
      return;
    }
    for (const Input& elem : elems.items()) {
      tensors_.push_back(AsOutput(scope.Named("elems"), elem));
    }
    if (!scope.ok()) return;
    SetCount();
    for (const Output& tensor : tensors_) {
      TensorArrayOptions options;
      const PartialShape shape = tensor.shape();
      if (shape.has_rank() && shape.rank() > 0) {
        options.element_shape =
            PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
      }
      arrays_.push_back(
          TensorArray(scope, tensor.dtype(), count(), options).Unstack(scope, tensor));
    }
  }

  size_t size() const { return tensors_.size(); }
  DType dtype(size_t i) const { return tensors_[i].dtype(); }
  // The number of rows: a number where it is known.
  Input count() const { return known_count_ >= 0 ? Input(known_count_) : Input(count_); }
  int known_count() const { return known_count_; }
  // Its value less `less`.
  Input CountLess(int less) const {
    if (known_count_ >= 0) return Input(known_count_ - less);
    return less == 0 ? Input(count_) : Input(Subtract(scope_.Named("sub"), count_, less));
  }
  std::vector<Output> Read(const Scope& scope, const Input& index) const {
    std::vector<Output> row;
    for (const TensorArray& array : arrays_) row.push_back(array.Read(scope, index));
    return row;
  }

 private:
  void SetCount() {
    const PartialShape shape = tensors_[0].shape();
    if (shape.has_rank() && shape.rank() == 0) {
      scope_.Fail(InvalidArgument("'", tensors_[0].name(), "' is a scalar and has no rows"));
      return;
    }
    if (shape.has_rank() && shape.dim(0) >= 0) {
      known_count_ = static_cast<int>(shape.dim(0));
      return;
    }
    count_ = BuildOutput(scope_.Named("strided_slice"), "StridedSlice",
                         {ShapeOf(scope_, tensors_[0]), std::vector<int32_t>{0},
                          std::vector<int32_t>{1}, std::vector<int32_t>{1}},
                         OpAttrs().Set("shrink_axis_mask", 1));
  }

  const Scope scope_;
  std::vector<Output> tensors_;
  std::vector<TensorArray> arrays_;
  int known_count_ = -1;
  Output count_;
};

// Arrays that results are written to, row by row.
std::vector<TensorArray> ResultArrays(const Scope& scope, const std::vector<DType>& dtypes,
                                      const Rows& rows, bool infer_shape,
                                      const std::vector<Output>& like = {}) {
  std::vector<TensorArray> arrays;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    TensorArrayOptions options;
    options.infer_shape = infer_shape;
    if (infer_shape && i < like.size()) options.element_shape = like[i].shape();
    arrays.push_back(TensorArray(scope, dtypes[i], rows.count(), options));
  }
  return arrays;
}

Status CheckNumber(size_t got, size_t wanted) {
  if (got == wanted) return OkStatus();
  return InvalidArgument("the function returns ", got, " tensors instead of ", wanted);
}

// The results' arrays as rows of tensors, with the number of rows where it is known.
std::vector<Output> StackAll(const Scope& scope, const std::vector<TensorArray>& arrays,
                             const Rows& rows, const std::vector<Output>& flows) {
  std::vector<Output> results;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Output all = arrays[i].WithFlow(flows[i]).Stack(scope);
    if (all.valid() && rows.known_count() >= 0 && all.shape().has_rank()) {
      PartialShape shape = PartialShape::UnknownOfRank(all.shape().rank());
      shape.set_dim(0, rows.known_count());
      all.set_shape(shape);
    }
    results.push_back(std::move(all));
  }
  return results;
}

std::vector<Output> Slice(const std::vector<Output>& v, size_t begin, size_t count) {
  const auto from = v.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::vector<Output>(from, from + static_cast<std::ptrdiff_t>(count));
}

FoldsFunction OfMany(const FoldFunction& function) {
  return [&function](const Scope& s, const std::vector<Output>& a, const std::vector<Output>& row) {
    return std::vector<Output>{function(s, a[0], row[0])};
  };
}

// What scans and folds begin with: the initializers, or row `first`.
std::vector<Output> Begin(const Scope& scope, const Rows& rows,
                          const std::vector<Input>& initializer, const Input& first) {
  if (initializer.empty()) return rows.Read(scope, first);
  std::vector<Output> accumulators;
  for (const Input& value : initializer) {
    accumulators.push_back(AsOutput(scope.Named("initializer"), value));
  }
  return accumulators;
}

std::vector<Output> Fold(ScopeRef scope_ref, const char* name, const FoldsFunction& function,
                         const InputList& elems, const FoldOptions& options, bool from_right) {
  const Scope outside = scope_ref.scope();
  const size_t number = options.initializer.empty() ? elems.size() : options.initializer.size();
  std::vector<Output> failed(number);
  if (!outside.ok()) return failed;
  const Scope scope = outside.OpenScope(name);
  const Rows rows(scope, elems);
  if (!scope.ok()) return failed;
  const int taken = options.initializer.empty() ? 1 : 0;
  const Input first = from_right ? rows.CountLess(1) : Input(0);
  std::vector<Output> start = Begin(scope, rows, options.initializer, first);
  std::vector<Input> variables = {from_right ? rows.CountLess(taken) : Input(taken)};
  for (const Output& a : start) variables.push_back(a);
  WhileLoopOptions loop;
  loop.parallel_iterations = options.parallel_iterations;
  loop.maximum_iterations = rows.count();
  const std::vector<Output> last = WhileLoop(
      scope,
      [&](const Scope& s, const std::vector<Output>& v) {
        return from_right ? Greater(s, v[0], 0) : Less(s, v[0], rows.count());
      },
      [&](const Scope& s, const std::vector<Output>& v) {
        const Output at = from_right ? Subtract(s, v[0], 1) : v[0];
        std::vector<Output> next = function(s, Slice(v, 1, number), rows.Read(s, at));
        if (Status error = CheckNumber(next.size(), number); !error.ok()) s.Fail(error);
        next.insert(next.begin(), from_right ? at : Add(s, v[0], 1));
        return next;
      },
      InputList(variables), loop);
  if (!scope.ok()) return failed;
  std::vector<Output> results = Slice(last, 1, number);
  for (Output& r : results) r = outside(r);
  return results;
}

}  // namespace

OutputList MapFn(ScopeRef scope_ref, const RowsFunction& function, const InputList& elems,
                 const MapFnOptions& options) {
  const Scope outside = scope_ref.scope();
  const size_t number = options.dtypes.empty() ? elems.size() : options.dtypes.size();
  std::vector<Output> failed(number);
  if (!outside.ok()) return failed;
  const Scope scope = outside.OpenScope("map");
  const Rows rows(scope, elems);
  if (!scope.ok()) return failed;
  std::vector<DType> dtypes = options.dtypes;
  for (size_t i = dtypes.size(); i < number; ++i) dtypes.push_back(rows.dtype(i));
  const Output start = Constant(scope, 0);
  const std::vector<TensorArray> arrays = ResultArrays(scope, dtypes, rows, options.infer_shape);
  std::vector<Input> variables = {start};
  for (const TensorArray& array : arrays) variables.push_back(array.flow());
  WhileLoopOptions loop;
  loop.parallel_iterations = options.parallel_iterations;
  loop.maximum_iterations = rows.count();
  const std::vector<Output> last = WhileLoop(
      scope,
      [&](const Scope& s, const std::vector<Output>& v) { return Less(s, v[0], rows.count()); },
      [&](const Scope& s, const std::vector<Output>& v) {
        const std::vector<Output> results = function(s, rows.Read(s, v[0]));
        if (Status error = CheckNumber(results.size(), number); !error.ok()) s.Fail(error);
        std::vector<Output> next = {Add(s, v[0], 1)};
        for (size_t i = 0; i < number && s.ok(); ++i) {
          next.push_back(arrays[i].WithFlow(v[i + 1]).Write(s, v[0], results[i]).flow());
        }
        return next;
      },
      InputList(variables), loop);
  if (!scope.ok()) return failed;
  std::vector<Output> results = StackAll(scope, arrays, rows, Slice(last, 1, number));
  for (Output& r : results) r = outside(r);
  return results;
}

Output MapFn(ScopeRef scope, const RowFunction& function, const Input& elems,
             const MapFnOptions& options) {
  return MapFn(
      scope.scope(),
      [&function](const Scope& s, const std::vector<Output>& row) {
        return std::vector<Output>{function(s, row[0])};
      },
      InputList({elems}), options)[0];
}

OutputList Scan(ScopeRef scope_ref, const FoldsFunction& function, const InputList& elems,
                const ScanOptions& options) {
  const Scope outside = scope_ref.scope();
  const size_t number = options.initializer.empty() ? elems.size() : options.initializer.size();
  std::vector<Output> failed(number);
  if (!outside.ok()) return failed;
  const Scope scope = outside.OpenScope("scan");
  const Rows rows(scope, elems);
  if (!scope.ok()) return failed;
  const int taken = options.initializer.empty() ? 1 : 0;
  const Input first = options.reverse ? rows.CountLess(1) : Input(0);
  const std::vector<Output> start = Begin(scope, rows, options.initializer, first);
  if (!scope.ok()) return failed;
  std::vector<DType> dtypes;
  for (const Output& a : start) dtypes.push_back(a.dtype());
  const std::vector<TensorArray> arrays =
      ResultArrays(scope, dtypes, rows, options.infer_shape, start);
  std::vector<Input> variables = {options.reverse ? rows.CountLess(1 + taken) : Input(taken)};
  for (const Output& a : start) variables.push_back(a);
  for (size_t i = 0; i < number; ++i) {
    // The first row is the first result.
    const TensorArray array = taken > 0 ? arrays[i].Write(scope, first, start[i]) : arrays[i];
    variables.push_back(array.flow());
  }
  WhileLoopOptions loop;
  loop.parallel_iterations = options.parallel_iterations;
  loop.maximum_iterations = rows.count();
  const std::vector<Output> last = WhileLoop(
      scope,
      [&](const Scope& s, const std::vector<Output>& v) {
        return options.reverse ? GreaterEqual(s, v[0], 0) : Less(s, v[0], rows.count());
      },
      [&](const Scope& s, const std::vector<Output>& v) {
        const std::vector<Output> a = function(s, Slice(v, 1, number), rows.Read(s, v[0]));
        if (Status error = CheckNumber(a.size(), number); !error.ok()) s.Fail(error);
        std::vector<Output> next = {options.reverse ? Subtract(s, v[0], 1) : Add(s, v[0], 1)};
        next.insert(next.end(), a.begin(), a.end());
        for (size_t i = 0; i < number && s.ok(); ++i) {
          next.push_back(arrays[i].WithFlow(v[1 + number + i]).Write(s, v[0], a[i]).flow());
        }
        return next;
      },
      InputList(variables), loop);
  if (!scope.ok()) return failed;
  std::vector<Output> results = StackAll(scope, arrays, rows, Slice(last, 1 + number, number));
  for (Output& r : results) r = outside(r);
  return results;
}

Output Scan(ScopeRef scope, const FoldFunction& function, const Input& elems,
            const ScanOptions& options) {
  return Scan(scope.scope(), OfMany(function), InputList({elems}), options)[0];
}

OutputList Foldl(ScopeRef scope, const FoldsFunction& function, const InputList& elems,
                 const FoldOptions& options) {
  return Fold(scope.scope(), "foldl", function, elems, options, /*from_right=*/false);
}

Output Foldl(ScopeRef scope, const FoldFunction& function, const Input& elems,
             const FoldOptions& options) {
  return Foldl(scope.scope(), OfMany(function), InputList({elems}), options)[0];
}

OutputList Foldr(ScopeRef scope, const FoldsFunction& function, const InputList& elems,
                 const FoldOptions& options) {
  return Fold(scope.scope(), "foldr", function, elems, options, /*from_right=*/true);
}

Output Foldr(ScopeRef scope, const FoldFunction& function, const Input& elems,
             const FoldOptions& options) {
  return Foldr(scope.scope(), OfMany(function), InputList({elems}), options)[0];
}

}  // namespace frontend
}  // namespace warpbeam
