#include "frontend/data/dataset_function.h"

#include "frontend/function_graph.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace data {

OpAttrs SpecAttrs(const ElementSpec& spec) {
  OpAttrs attrs;
  attrs.Set("output_types", spec.types).Set("output_shapes", spec.shapes);
  return attrs;
}

void CheckGiven(const Scope& scope, bool is_given, const char* name) {
  if (!is_given) scope.Fail(InvalidArgument(name, ": the function is empty"));
}

void CheckSpec(const Scope& scope, ElementSpec* spec) {
  if (spec->types.size() == spec->shapes.size()) return;
  scope.Fail(InvalidArgument("the spec of a dataset's elements has ", spec->types.size(),
                             " types and ", spec->shapes.size(), " shapes, but each component ",
                             "has one of both"));
  spec->shapes.resize(spec->types.size());
}

Dataset NoDataset(const char* function, SourceLocation where) {
  const Scope scope = Scope::NewRoot().At(where);
  scope.Fail(InvalidArgument(function, ": there are no datasets"));
  return Dataset(scope, Output(), {});
}

Output Int64(const Scope& scope, const char* name, const Input& value) {
  return AsOutput(scope.Named(name), value, DType::kInt64);
}

Output Named(const Scope& scope, const char* name, const Input& value) {
  return AsOutput(scope.Named(name), value);
}

ElementSpec ScalarSpec(DType dtype) { return {{dtype}, {PartialShape(Shape())}}; }

ElementSpec SpecOf(const Element& element) {
  ElementSpec spec;
  for (const Output& component : element) {
    spec.types.push_back(component.dtype());
    spec.shapes.push_back(component.shape());
  }
  return spec;
}

DatasetFunction MakeDatasetFunction(const Scope& scope, const ElementSpec& arguments,
                                    const MapFunction& function, const char* name) {
  DatasetFunction call;
  CheckGiven(scope, function != nullptr, name);
  if (!scope.ok()) return call;
  FunctionGraph body(scope);
  Element args;
  for (size_t i = 0; i < arguments.types.size(); ++i) {
    args.push_back(body.AddArg(arguments.types[i], arguments.shapes[i]));
  }
  const Element results = function(body.scope(), args);
  call.results = SpecOf(results);
  StatusOr<FunctionRef> made = body.Finish(results, name);
  if (made.ok()) {
    call.function = *std::move(made);
    // tf.data calls them by the function's name; lambdas of C++ have none.
    call.function.attrs.Set("_tf_data_function", true);
  } else {
    scope.Fail(Annotate(made.status(), absl::StrCat("the function of ", name)));
  }
  call.captures = body.captures();
  return call;
}

MapFunction MapOf(const Predicate& predicate) {
  if (predicate == nullptr) return nullptr;
  return [predicate](const Scope& scope, const Element& element) -> Element {
    return {predicate(scope, element)};
  };
}

FunctionToDataset MakeFunctionToDataset(const Scope& scope, const ElementSpec& arguments,
                                        const DatasetMapFunction& function, const char* name) {
  FunctionToDataset made;
  CheckGiven(scope, function != nullptr, name);
  made.call = MakeDatasetFunction(
      scope, arguments,
      [&](const Scope& body, const Element& element) -> Element {
        const Dataset dataset = function(body, element);
        made.elements = dataset.spec();
        return {dataset.variant()};
      },
      name);
  return made;
}

DatasetFunction MakeShardFunction(const Scope& scope, const ElementSpec& elements) {
  return MakeDatasetFunction(
      scope, elements,
      [](const Scope& body, const Element&) -> Element {
        return {Constant(body, 0, DType::kInt64)};
      },
      "Dataset_shard");
}

DatasetFunction MakeReaderFunction(const Scope& scope, const ElementSpec& elements,
                                   SourceLocation where) {
  const ElementSpec variant = {{DType::kVariant}, {PartialShape(Shape())}};
  return MakeDatasetFunction(
      scope, variant,
      [&](const Scope& body, const Element& shards) -> Element {
        const auto of_shard = [&](const Scope& inside, const Element& shard) {
          return FromVariant(inside, shard[0], elements);
        };
        return {FromVariant(body, shards[0], variant)
                    .Interleave(of_shard, 1, 1, std::nullopt, where)
                    .variant()};
      },
      "Dataset_reader");
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
