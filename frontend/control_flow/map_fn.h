// MapFn, Scan, Foldl, Foldr (tf.map_fn, tf.scan, tf.foldl, tf.foldr): a function applied to the
// rows of tensors, one after the other, in a loop.
//
//   auto square = [](const Scope& s, const Output& row) { return Square(s, row); };
//   auto add = [](const Scope& s, const Output& a, const Output& row) { return Add(s, a, row); };
//   Output squares = MapFn(scope, square, x);
//   Output sums = Scan(scope, add, x);                          // running sums of the rows
//   std::vector<Output> r = MapFn(scope, two_to_two, {x, y});   // several tensors at once
//
// The function is called once, to build the loop's body. All tensors must have as many rows as the
// first one. Without an initializer, Scan and the folds begin with the first row (Foldr and a scan
// in reverse: with the last one).
//
// Ownership: the functions are not kept. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_MAP_FN_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_MAP_FN_H_

#include <functional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct MapFnOptions {
  // The dtypes of the results; empty: those of the rows, in their order.
  std::vector<DType> dtypes;
  int parallel_iterations = 10;
  bool infer_shape = true;  // the results for all rows are of one shape
};

using RowsFunction =
    std::function<std::vector<Output>(const Scope&, const std::vector<Output>& row)>;
OutputList MapFn(ScopeRef scope, const RowsFunction& function, const InputList& elems,
                 const MapFnOptions& options = MapFnOptions());
using RowFunction = std::function<Output(const Scope&, const Output& row)>;
Output MapFn(ScopeRef scope, const RowFunction& function, const Input& elems,
             const MapFnOptions& options = MapFnOptions());

struct ScanOptions {
  // The accumulators to begin with; none: the first row.
  std::vector<Input> initializer;
  int parallel_iterations = 10;
  bool infer_shape = true;
  bool reverse = false;
};

// Gives the next accumulators.
using FoldsFunction = std::function<std::vector<Output>(
    const Scope&, const std::vector<Output>& accumulators, const std::vector<Output>& row)>;
using FoldFunction =
    std::function<Output(const Scope&, const Output& accumulator, const Output& row)>;

// The accumulators after each row, as rows.
OutputList Scan(ScopeRef scope, const FoldsFunction& function, const InputList& elems,
                const ScanOptions& options = ScanOptions());
Output Scan(ScopeRef scope, const FoldFunction& function, const Input& elems,
            const ScanOptions& options = ScanOptions());

struct FoldOptions {
  std::vector<Input> initializer;
  int parallel_iterations = 10;
};

// The accumulators after the last row, or from the right, after the first one.
OutputList Foldl(ScopeRef scope, const FoldsFunction& function, const InputList& elems,
                 const FoldOptions& options = FoldOptions());
Output Foldl(ScopeRef scope, const FoldFunction& function, const Input& elems,
             const FoldOptions& options = FoldOptions());
OutputList Foldr(ScopeRef scope, const FoldsFunction& function, const InputList& elems,
                 const FoldOptions& options = FoldOptions());
Output Foldr(ScopeRef scope, const FoldFunction& function, const Input& elems,
             const FoldOptions& options = FoldOptions());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_MAP_FN_H_
