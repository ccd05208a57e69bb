#include "frontend/variables/variable_scope.h"

#include "absl/strings/str_join.h"
#include "frontend/array.h"
#include "frontend/build.h"
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

// What the options leave open, as the scope says.
GetVariableOptions Complete(const VariableScopeFrame& frame, GetVariableOptions options) {
  if (options.variable_dtype == DType::kInvalid) options.variable_dtype = frame.dtype;
  if (options.variable_value.has_value()) {
    options.variable_dtype = options.variable_value->dtype();
  } else if (!options.variable_initializer.has_value()) {
    options.variable_initializer = DefaultInitializer(frame, options.variable_dtype);
  }
  if (!options.variable_regularizer.has_value()) {
    options.variable_regularizer = frame.regularizer;
    options.name_of_penalty.clear();  // of a layer's own penalty
  }
  if (options.variable_constraint == nullptr) options.variable_constraint = frame.constraint;
  if (options.variable_partitioner == nullptr) options.variable_partitioner = frame.partitioner;
  if (!options.is_resource.has_value()) options.is_resource = frame.use_resource;
  return options;
}

// A dimension along which a variable is cut, and into how many parts.
struct Cut {
  size_t axis = 0;
  int64_t count = 1;
};

Cut CutOf(const std::vector<int64_t>& partitions) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i] > 1) return {i, partitions[i]};
  }
  return {};
}

// What the partitioner says, after a look at it; empty for a variable that stays whole.
StatusOr<std::vector<int64_t>> PartitionsOf(const Partitioner& partitioner, const Shape& shape,
                                            DType dtype) {
  if (partitioner == nullptr || shape.rank() == 0) return std::vector<int64_t>();
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> partitions, partitioner(shape, dtype));
  const std::string said = absl::StrCat("the partitioner gave [", absl::StrJoin(partitions, ","),
                                        "] for the shape ", shape.ToString(), ": ");
  if (static_cast<int>(partitions.size()) != shape.rank()) {
    return InvalidArgument(said, "it must give a number for each dimension");
  }
  int cut = 0;
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i] < 1 || partitions[i] > std::max<int64_t>(1, shape.dim(static_cast<int>(i)))) {
      return InvalidArgument(said, "there must be a part, and no more than rows");
    }
    if (partitions[i] > 1) ++cut;
  }
  if (cut > 1) return InvalidArgument(said, "a variable is cut along one dimension at most");
  return partitions;
}

// The parts of a whole of this shape; the first ones are larger where it does not come out even.
std::vector<VariablePart> PartsOf(const Shape& shape, const std::vector<int64_t>& partitions) {
  const Cut cut = CutOf(partitions);
  const int64_t rows = shape.dim(static_cast<int>(cut.axis));
  std::vector<VariablePart> parts;
  VariablePart part = VariablePart::Whole(shape);
  for (int64_t i = 0; i < cut.count; ++i) {
    const int64_t own = rows / cut.count + (i < rows % cut.count ? 1 : 0);
    part.shape = shape.WithDim(static_cast<int>(cut.axis), own).value_or(shape);
    parts.push_back(part);
    part.offset[cut.axis] += own;
  }
  return parts;
}

// The variable that is there, after checking that it may be had.
Variable Reused(const Scope& scope, const Variable& found, const Shape* shape,
                const std::vector<int64_t>& partitions, DType dtype) {
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
  if (!partitions.empty() && partitions != found.partitions()) {
    scope.Fail(InvalidArgument("the variable '", found.name(), "' is ",
                               found.is_partitioned() ? "cut into [" : "whole [",
                               absl::StrJoin(found.partitions(), ","), "] parts, asked for in [",
                               absl::StrJoin(partitions, ","), "]"));
    return Variable();
  }
  return found.UsedIn(scope);
}

void AddRegularizationLoss(const Scope& scope, const Variable& variable,
                           const GetVariableOptions& options) {
  const Regularizer& regularizer = options.variable_regularizer;
  if (!regularizer.has_value() || !variable.valid()) return;
  std::string name = variable.name();
  if (!options.name_of_penalty.empty()) {
    // Behind the last '/'; npos + 1 is 0.
    name = name.substr(0, name.rfind('/') + 1) + options.name_of_penalty;
  }
  const Scope beside =
      scope.NoControlDependencies().ColocateWith(variable.op()).WithPrefix(name + "/Regularizer");
  AddToCollection(scope, GraphKeys::kRegularizationLosses,
                  regularizer(beside, variable.UsedIn(beside)));
}

VariableBuilder BuilderOf(const Scope& scope, const std::string& name,
                          const GetVariableOptions& options) {
  VariableBuilder builder(scope.WithPrefix(""), name, scope);
  builder.trainable(options.is_trainable).constraint(options.variable_constraint);
  builder.use_resource(options.is_resource.value_or(false));
  builder.collections(options.collection_keys.empty()
                          ? std::vector<std::string>{GraphKeys::kGlobalVariables}
                          : options.collection_keys);
  return builder;
}

// All parts as one value: "w", of "w/ConcatPartitions/concat".
Output Joined(const Scope& scope, const std::string& name, const std::vector<Variable>& parts,
              const std::vector<int64_t>& partitions) {
  const Scope top = scope.NoControlDependencies().WithPrefix("");
  if (parts.size() == 1) return Identity(top.Named(name), parts[0]);
  const Scope inside = top.WithPrefix(name + "/ConcatPartitions");
  const Output all = Concat(inside, std::vector<Output>(parts.begin(), parts.end()),
                            static_cast<int>(CutOf(partitions).axis));
  return Identity(top.Named(name), all);
}

Variable MakeParts(const Scope& scope, const std::string& name, const Shape& shape,
                   const std::vector<int64_t>& partitions, const GetVariableOptions& options) {
  VariableData whole;
  whole.name = name;
  whole.dtype = options.variable_dtype;
  whole.shape = shape;
  whole.trainable = options.is_trainable;
  whole.location = scope.location();
  whole.constraint = options.variable_constraint;
  whole.partitions = partitions;
  const std::vector<VariablePart> parts = PartsOf(shape, partitions);
  for (const VariablePart& part : parts) {
    const std::string own = absl::StrCat(name, "/part_", whole.parts.size());
    const Scope values = scope.WithPrefix("").NameScope(own + "/PartitionedInitializer");
    VariableBuilder builder = BuilderOf(scope, own, options);
    builder.slice(VariableSlice{name, shape, part.offset});
    Variable made;
    if (options.variable_value.has_value()) {
      const Output value = AsOutput(values, *options.variable_value);
      made = builder.FromValue(PartOf(values, value, part), DType::kInvalid);
    } else {
      made = builder.FromInitializer(options.variable_initializer, part, whole.dtype);
    }
    if (!made.valid()) return made;
    scope.state().variables()[own] = made;
    AddRegularizationLoss(scope, made, options);
    whole.parts.push_back(made);
  }
  whole.read = Joined(scope, name, whole.parts, partitions);
  return scope.ok() ? VariableBuilder::FromNodes(scope, std::move(whole)) : Variable();
}

// The shape that a variable of these options has, which is that of the initial value if there is
// one and that is known.
StatusOr<Shape> ShapeFor(const Shape& shape, const GetVariableOptions& options) {
  if (!options.variable_value.has_value()) return shape;
  if (!options.variable_value->is_value())
    return options.variable_value->output().shape().AsShape();
  WB_ASSIGN_OR_RETURN(const Tensor value,
                      options.variable_value->ValueAs(options.variable_value->dtype()));
  return value.shape();
}

// The getter below all custom ones: looks the variable up, or makes it.
Variable FindOrMake(const Scope& scope, const std::string& name, const Shape& given_shape,
                    const GetVariableOptions& given) {
  if (!scope.ok()) return Variable();
  const VariableScopeFrame& frame = *scope.context().variables;
  const GetVariableOptions options = Complete(frame, given);
  const StatusOr<Shape> shape = ShapeFor(given_shape, options);
  std::vector<int64_t> partitions;
  if (shape.ok()) {
    auto said = PartitionsOf(options.variable_partitioner, *shape, options.variable_dtype);
    if (!said.ok()) {
      scope.Fail(Annotate(said.status(), absl::StrCat("the variable '", name, "'")));
      return Variable();
    }
    partitions = *std::move(said);
  }
  auto& variables = scope.state().variables();
  const auto found = variables.find(name);
  if (found != variables.end()) {
    return Reused(scope, found->second, options.variable_value ? nullptr : &given_shape, partitions,
                  options.variable_dtype);
  }
  if (frame.reuse) {
    scope.Fail(NotFound("the variable '", name,
                        "' is to be reused but was never made by GetVariable; set reuse(false) or "
                        "auto_reuse() where it is made first"));
    return Variable();
  }
  Variable made;
  if (!partitions.empty()) {
    made = MakeParts(scope, name, *shape, partitions, options);
  } else if (options.variable_value.has_value()) {
    made = BuilderOf(scope, name, options).FromValue(*options.variable_value, DType::kInvalid);
  } else {
    made = BuilderOf(scope, name, options)
               .FromInitializer(options.variable_initializer, given_shape, options.variable_dtype);
  }
  if (!made.valid()) return made;
  variables[name] = made;
  if (!made.is_partitioned()) AddRegularizationLoss(scope, made, options);
  return made;
}

}  // namespace

CustomGetter InsideOf(const CustomGetter& outer, const CustomGetter& inner) {
  if (outer == nullptr) return inner;
  return [outer, inner](const VariableGetter& getter, const Scope& scope, const std::string& name,
                        const Shape& shape, const GetVariableOptions& options) {
    const VariableGetter outside = [&](const Scope& s, const std::string& n, const Shape& extents,
                                       const GetVariableOptions& o) {
      return outer(getter, s, n, extents, o);
    };
    return inner(outside, scope, name, shape, options);
  };
}

Variable GetVariable(ScopeRef scope_ref, const std::string& name, const Shape& shape,
                     const GetVariableOptions& options) {
  const Scope scope = scope_ref.scope();
  const std::string full = FullName(scope, name);
  for (const int64_t dim : shape.dims()) {
    if (dim >= 0) continue;
    scope.Fail(InvalidArgument("the variable '", full, "' cannot have the shape ", shape.ToString(),
                               ": a variable's dimensions are known and not negative"));
    return Variable();
  }
  const CustomGetter getter = scope.context().variables->getter;
  if (getter == nullptr || !scope.ok()) return FindOrMake(scope, full, shape, options);
  // What a custom getter asks GetVariable for itself does not come back to it.
  const Scope below = scope.SameVariableScope(VariableScopeOptions());
  below.context().variables->getter = nullptr;
  return getter(FindOrMake, below, full, shape, Complete(*scope.context().variables, options));
}

Variable GetVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                     const Initializer& initializer) {
  return GetVariable(scope.scope(), name, shape, GetVariableOptions().initializer(initializer));
}

Variable GetVariableFrom(ScopeRef scope_ref, const std::string& name, const Input& initial_value,
                         const GetVariableOptions& options) {
  GetVariableOptions with_value = options;
  const StatusOr<Shape> shape = ShapeFor(Shape(), with_value.initial_value(initial_value));
  return GetVariable(scope_ref.scope(), name, shape.value_or(Shape()), with_value);
}

HandleList<Variable> CreatePartitionedVariables(ScopeRef scope_ref, const Shape& shape,
                                                const std::vector<int64_t>& slicing,
                                                const Initializer& initializer,
                                                const GetVariableOptions& options) {
  const Scope scope = scope_ref.scope();
  const std::string name = scope.OpNameOr("");
  const Scope inside =
      name.empty() ? scope.DefaultVariableScope("PartitionedVariable") : scope.VariableScope(name);
  if (shape.rank() == 0) {
    scope.Fail(InvalidArgument("CreatePartitionedVariables: a number cannot be cut"));
  }
  GetVariableOptions cut = options;
  if (initializer.has_value()) cut.initializer(initializer);
  cut.partitioner([slicing](const Shape&, DType) { return slicing; });
  // The whole is called as the scope.
  const Variable whole = FindOrMake(inside, inside.variable_scope(), shape,
                                    Complete(*inside.context().variables, cut));
  if (whole.is_partitioned()) return whole.parts();
  // After an error as many as were asked for, as far as there can be so many.
  const Cut asked = CutOf(slicing);
  const int64_t rows =
      static_cast<int>(asked.axis) < shape.rank() ? shape.dim(static_cast<int>(asked.axis)) : 1;
  return std::vector<Variable>(
      static_cast<size_t>(std::max<int64_t>(1, std::min(asked.count, rows))));
}

void ReuseVariables(const Scope& scope) { scope.context().variables->reuse = true; }

}  // namespace frontend
}  // namespace warpbeam
