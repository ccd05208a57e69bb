// Functions of elements as the graph's library holds them.
//
// Internal to frontend/data.
//
//   DatasetFunction f = MakeDatasetFunction(scope, dataset.spec(), function, "Dataset_map");
//   Output mapped = BuildOutput(scope, "MapDataset", {variant, InputList(f.captures)},
//                               SpecAttrs(f.results).Set("f", f.function));
//
// Ownership: the scope's graph has the function. Thread safety: that of the Scope. Errors: kept in
// the scope.
#ifndef WARPBEAM_FRONTEND_DATA_DATASET_FUNCTION_H_
#define WARPBEAM_FRONTEND_DATA_DATASET_FUNCTION_H_

#include <vector>

#include "frontend/build.h"
#include "frontend/data/dataset.h"

namespace warpbeam {
namespace frontend {
namespace data {

struct DatasetFunction {
  FunctionRef function;
  std::vector<Output> captures;  // what to pass besides the arguments
  ElementSpec results;
};

// `function` of an argument for each component of `arguments`.
DatasetFunction MakeDatasetFunction(const Scope& scope, const ElementSpec& arguments,
                                    const MapFunction& function, const char* name);

// A function that gives one tensor, such as a predicate.
MapFunction MapOf(const Predicate& predicate);

// A function that makes a dataset, which it gives as its variant, and what that one's elements are.
struct FunctionToDataset {
  DatasetFunction call;
  ElementSpec elements;
};
FunctionToDataset MakeFunctionToDataset(const Scope& scope, const ElementSpec& arguments,
                                        const DatasetMapFunction& function, const char* name);

// What tf.data gives datasets that are kept in files, unless a program says otherwise: all elements
// go into one shard, and shards are read in turn.
DatasetFunction MakeShardFunction(const Scope& scope, const ElementSpec& elements);
DatasetFunction MakeReaderFunction(const Scope& scope, const ElementSpec& elements,
                                   SourceLocation where);

// The attributes "output_types" and "output_shapes".
OpAttrs SpecAttrs(const ElementSpec& spec);
// An error of the scope unless what `name` is made with is a function.
void CheckGiven(const Scope& scope, bool is_given, const char* name);
// An error of the scope unless the spec has a shape for each type; afterwards it has.
void CheckSpec(const Scope& scope, ElementSpec* spec);
// What is made of no datasets, by `function`, is not valid: an error of a scope of its own.
Dataset NoDataset(const char* function, SourceLocation where);
ElementSpec SpecOf(const Element& element);
// Elements that are one scalar.
ElementSpec ScalarSpec(DType dtype);
// An int64 scalar, named as in tf.data.
Output Int64(const Scope& scope, const char* name, const Input& value);
// A string or bool.
Output Named(const Scope& scope, const char* name, const Input& value);

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_DATASET_FUNCTION_H_
