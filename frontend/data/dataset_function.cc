#include "frontend/data/dataset_function.h"

#include "frontend/function_graph.h"

namespace warpbeam {
namespace frontend {
namespace data {

OpAttrs SpecAttrs(const ElementSpec& spec) {
  OpAttrs attrs;
  attrs.Set("output_types", spec.types).Set("output_shapes", spec.shapes);
  return attrs;
}

Output Int64(const Scope& scope, const char* name, const Input& value) {
  return AsOutput(scope.Named(name), value, DType::kInt64);
}

Output Named(const Scope& scope, const char* name, const Input& value) {
  return AsOutput(scope.Named(name), value);
}

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

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
