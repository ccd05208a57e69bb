#include "frontend/variables/variable_scope.h"

#include "frontend/graph_state.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string FullName(const Scope& scope, const std::string& name) {
  const std::string& prefix = scope.context().variables->name;
  return prefix.empty() ? name : prefix + "/" + name;
}

Initializer DefaultInitializer(const VariableScopeFrame& frame, DType dtype) {
  if (frame.initializer.has_value()) return frame.initializer;
  return IsFloating(dtype) ? GlorotUniformInitializer() : ZerosInitializer();
}

// The variable that is there, after checking that it may be had.
Variable Reused(const Scope& scope, const Variable& found, const Shape* shape, DType dtype) {
  const VariableScopeFrame& frame = *scope.context().variables;
  if (!frame.reuse && !frame.auto_reuse) {
    const std::string where = found.location().known()
                                  ? absl::StrCat(" at ", found.location().ToString())
                                  : std::string();
    scope.Fail(
        AlreadyExists("the variable '", found.name(), "' was made before", where,
                      "; set reuse(true) or auto_reuse() on the variable scope to share it"));
    return Variable();
  }
  if ((shape != nullptr && *shape != found.shape()) || dtype != found.dtype()) {
    scope.Fail(InvalidArgument("the variable '", found.name(), "' is ", DTypeName(found.dtype()),
                               found.shape().ToString(), ", asked for as ", DTypeName(dtype),
                               shape != nullptr ? shape->ToString() : std::string()));
    return Variable();
  }
  return found.UsedIn(scope);
}

void AddRegularizationLoss(const Scope& scope, const Variable& variable,
                           const GetVariableOptions& options) {
  const Regularizer& regularizer = options.variable_regularizer.has_value()
                                       ? options.variable_regularizer
                                       : scope.context().variables->regularizer;
  if (!regularizer.has_value() || !variable.valid()) return;
  const Scope beside = scope.NoControlDependencies()
                           .ColocateWith(variable.op())
                           .WithPrefix(variable.name() + "/Regularizer");
  AddToCollection(scope, GraphKeys::kRegularizationLosses,
                  regularizer(beside, variable.UsedIn(beside)));
}

// Looks the variable up, or has `make` make it.
template <typename Make>
Variable FindOrMake(const Scope& scope, const std::string& name, const Shape* shape, DType dtype,
                    const GetVariableOptions& options, const Make& make) {
  if (!scope.ok()) return Variable();
  const VariableScopeFrame& frame = *scope.context().variables;
  const std::string full = FullName(scope, name);
  auto& variables = scope.state().variables();
  const auto found = variables.find(full);
  if (found != variables.end()) return Reused(scope, found->second, shape, dtype);
  if (frame.reuse) {
    scope.Fail(NotFound("the variable '", full,
                        "' is to be reused but was never made by GetVariable; set reuse(false) or "
                        "auto_reuse() where it is made first"));
    return Variable();
  }
  VariableBuilder builder(scope.WithPrefix(""), full, scope);
  builder.trainable(options.is_trainable);
  builder.use_resource(options.is_resource.value_or(frame.use_resource));
  builder.collections(options.collection_keys.empty()
                          ? std::vector<std::string>{GraphKeys::kGlobalVariables}
                          : options.collection_keys);
  const Variable made = make(builder);
  if (!made.valid()) return made;
  variables[full] = made;
  AddRegularizationLoss(scope, made, options);
  return made;
}

}  // namespace

Variable GetVariable(ScopeRef scope_ref, const std::string& name, const Shape& shape,
                     const GetVariableOptions& options) {
  const Scope scope = scope_ref.scope();
  const DType dtype = options.variable_dtype;
  for (const int64_t dim : shape.dims()) {
    if (dim >= 0) continue;
    scope.Fail(InvalidArgument("the variable '", FullName(scope, name), "' cannot have the shape ",
                               shape.ToString(),
                               ": a variable's dimensions are known and not negative"));
    return Variable();
  }
  const auto make = [&](VariableBuilder& builder) {
    return builder.FromInitializer(options.variable_initializer.has_value()
                                       ? options.variable_initializer
                                       : DefaultInitializer(*scope.context().variables, dtype),
                                   shape, dtype);
  };
  return FindOrMake(scope, name, &shape, dtype, options, make);
}

Variable GetVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                     const Initializer& initializer) {
  return GetVariable(scope.scope(), name, shape, GetVariableOptions().initializer(initializer));
}

Variable GetVariableFrom(ScopeRef scope_ref, const std::string& name, const Input& initial_value,
                         const GetVariableOptions& options) {
  const Scope scope = scope_ref.scope();
  const auto make = [&](VariableBuilder& builder) {
    return builder.FromValue(initial_value, DType::kInvalid);
  };
  return FindOrMake(scope, name, nullptr, initial_value.dtype(), options, make);
}

void ReuseVariables(const Scope& scope) { scope.context().variables->reuse = true; }

}  // namespace frontend
}  // namespace warpbeam
