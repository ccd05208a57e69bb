#include "frontend/parsing.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

// What a node name may have of a feature's key.
std::string NameOfKey(const std::string& key) {
  std::string name = "key_" + key;
  for (char& c : name) {
    const bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '_' || c == '.' || c == '-' || c == '/';
    if (!fine) c = '_';
  }
  return name;
}

StatusOr<Tensor> ZeroOf(DType dtype) {
  if (dtype == DType::kString) return Tensor::Scalar<std::string>("");
  return dtype == DType::kInt64 ? Tensor::Scalar<int64_t>(0) : Tensor::Scalar<float>(0);
}

// An empty tensor says that there is no default.
Output NoDefault(const Scope& scope, DType dtype) {
  StatusOr<Tensor> none = Tensor::Allocate(dtype, Shape({0}));
  return none.ok() ? Constant(scope, *std::move(none)) : Output();
}

Output DefaultOf(const Scope& scope, const std::string& key, const FixedLenFeature& feature) {
  if (!feature.default_value.has_value()) return NoDefault(scope, feature.dtype);
  const Output value = Constant(scope.Named(NameOfKey(key)), feature.default_value, feature.dtype);
  const std::vector<int32_t> shape(feature.shape.dims().begin(), feature.shape.dims().end());
  return Reshape(scope, value, shape);
}

// What the op is told of the features: those of fixed length, and those of any.
struct Parameters {
  std::vector<std::string> keys, sparse_keys, ragged_keys;
  std::vector<PartialShape> shapes;
  std::vector<DType> types, sparse_types, ragged_types;
  std::vector<Output> defaults;
  std::vector<bool> may_be_missing;

  void AddSparse(const std::string& key, DType dtype) {
    for (const std::string& known : sparse_keys) {
      if (known == key) return;
    }
    sparse_keys.push_back(key);
    sparse_types.push_back(dtype);
  }
  void AddRagged(const std::string& key, DType dtype) {
    for (const std::string& known : ragged_keys) {
      if (known == key) return;
    }
    ragged_keys.push_back(key);
    ragged_types.push_back(dtype);
  }
  void AddDense(const std::string& key, DType dtype, PartialShape shape) {
    keys.push_back(key);
    types.push_back(dtype);
    shapes.push_back(std::move(shape));
  }
};

PartialShape WithSteps(const Shape& shape) {
  std::vector<int64_t> dims = {-1};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  return PartialShape(dims);
}

const std::string& KeyOf(const std::string& key, const RaggedFeature& feature) {
  return feature.value_key.empty() ? key : feature.value_key;
}

Parameters ExampleParameters(const Scope& scope, const FeatureSpec& features) {
  Parameters all;
  for (const auto& [key, feature] : features) {
    if (const auto* any_length = std::get_if<VarLenFeature>(&feature)) {
      all.AddSparse(key, any_length->dtype);
    } else if (const auto* pair = std::get_if<SparseFeature>(&feature)) {
      all.AddSparse(pair->index_key, DType::kInt64);
      all.AddSparse(pair->value_key, pair->dtype);
    } else if (const auto* ragged = std::get_if<RaggedFeature>(&feature)) {
      all.AddRagged(KeyOf(key, *ragged), ragged->dtype);
      for (const RaggedPartition& partition : ragged->partitions) {
        if (!partition.key.empty()) all.AddRagged(partition.key, DType::kInt64);
      }
    } else if (const auto* list = std::get_if<FixedLenSequenceFeature>(&feature)) {
      if (!list->allow_missing) {
        scope.Fail(InvalidArgument("the list '", key, "' of an Example must be allowed to be ",
                                   "missing; FixedLenFeature takes one of a known length"));
      }
      all.AddDense(key, list->dtype, WithSteps(list->shape));
      const Tensor filler = list->default_value.has_value()
                                ? list->default_value
                                : ZeroOf(list->dtype).value_or(Tensor());
      all.defaults.push_back(Constant(scope.Named(NameOfKey(key)), filler));
    } else {
      const FixedLenFeature& fixed = std::get<FixedLenFeature>(feature);
      all.AddDense(key, fixed.dtype, fixed.shape);
      all.defaults.push_back(DefaultOf(scope, key, fixed));
    }
  }
  return all;
}

Parameters StepParameters(const Scope& scope, const FeatureSpec& features) {
  Parameters all;
  for (const auto& [key, feature] : features) {
    if (const auto* any_length = std::get_if<VarLenFeature>(&feature)) {
      all.AddSparse(key, any_length->dtype);
    } else if (const auto* list = std::get_if<FixedLenSequenceFeature>(&feature)) {
      all.AddDense(key, list->dtype, list->shape);
      all.may_be_missing.push_back(list->allow_missing);
    } else {
      scope.Fail(InvalidArgument("the feature '", key, "' of a sequence's steps must be a ",
                                 "FixedLenSequenceFeature or a VarLenFeature"));
    }
  }
  return all;
}

// The outputs of the op whose names begin with `prefix` ("context_"), by the features' keys.
ParsedFeatures Collect(const Scope& scope, const Operation& parse, const std::string& prefix,
                       const Parameters& all) {
  const auto outputs = [&](const char* name) {
    return OutputsOf(scope, parse, (prefix + name).c_str());
  };
  const std::vector<Output> dense = outputs("dense_values"), indices = outputs("sparse_indices");
  const std::vector<Output> values = outputs("sparse_values"), extents = outputs("sparse_shapes");
  ParsedFeatures parsed;
  for (size_t i = 0; i < all.keys.size(); ++i) {
    parsed.dense[all.keys[i]] = i < dense.size() ? dense[i] : Output();
  }
  const std::vector<Output> rows = outputs("ragged_values"), splits = outputs("ragged_row_splits");
  for (size_t i = 0; i < all.ragged_keys.size(); ++i) {
    RaggedTensor& ragged = parsed.ragged[all.ragged_keys[i]];
    if (i < splits.size()) ragged = {rows[i], splits[i]};
  }
  for (size_t i = 0; i < all.sparse_keys.size(); ++i) {
    SparseOutput& sparse = parsed.sparse[all.sparse_keys[i]];
    if (i < extents.size()) sparse = {indices[i], values[i], extents[i]};
  }
  return parsed;
}

// Pairs of features become one; what was parsed only for them goes.
void MergePairs(const Scope& scope, const FeatureSpec& features, ParsedFeatures* parsed) {
  std::map<std::string, SparseOutput> wanted;
  for (const auto& [key, feature] : features) {
    if (const auto* pair = std::get_if<SparseFeature>(&feature)) {
      wanted[key] = SparseMerge(scope, parsed->sparse[pair->index_key],
                                parsed->sparse[pair->value_key], pair->size, pair->already_sorted);
    } else if (std::holds_alternative<VarLenFeature>(feature)) {
      wanted[key] = parsed->sparse[key];
    }
  }
  parsed->sparse = std::move(wanted);
}

// The values of one message as the only row of a batch.
RaggedTensor OnlyRow(const Scope& scope, const Output& values) {
  const Output count =
      BuildOutput(scope, "Size", {values}, OpAttrs().Set("out_type", DType::kInt64));
  return {values, Stack(scope, {Constant(scope, int64_t{0}), count})};
}

// Ragged features under the names of the spec; the values alone where there is one message.
void NameRagged(const Scope& scope, const FeatureSpec& features, bool is_single,
                ParsedFeatures* parsed) {
  const std::map<std::string, RaggedTensor> by_key = std::move(parsed->ragged);
  parsed->ragged.clear();
  for (const auto& [key, feature] : features) {
    const auto* wanted = std::get_if<RaggedFeature>(&feature);
    if (wanted == nullptr) continue;
    const bool cuts = !wanted->partitions.empty() && scope.ok();
    const auto rows_of = [&](const std::string& name) {
      const auto found = by_key.find(name);
      const RaggedTensor rows = found == by_key.end() ? RaggedTensor() : found->second;
      return is_single && cuts ? OnlyRow(scope, rows.values) : rows;
    };
    RaggedTensor ragged = rows_of(KeyOf(key, *wanted));
    for (size_t i = cuts ? wanted->partitions.size() : 0; i > 0; --i) {
      const RaggedPartition& partition = wanted->partitions[i - 1];
      const RaggedTensor numbers = partition.key.empty() ? RaggedTensor() : rows_of(partition.key);
      ragged = CutRows(scope, ragged, partition, numbers);
    }
    if (!is_single) {
      parsed->ragged[key] = ragged;
    } else if (ragged.outer_row_splits.empty()) {
      parsed->dense[key] = ragged.values;
    } else {
      ragged.outer_row_splits.erase(ragged.outer_row_splits.begin());
      parsed->ragged[key] = ragged;
    }
  }
}

ParsedFeatures Parse(const Scope& scope, const Input& serialized, const FeatureSpec& features,
                     bool is_single) {
  const Parameters all = ExampleParameters(scope, features);
  const std::vector<std::string> none;
  OpAttrs attrs;
  attrs.Set("dense_shapes", all.shapes)
      .Set("num_sparse", static_cast<int64_t>(all.sparse_keys.size()));
  attrs.Set("sparse_types", all.sparse_types);
  attrs.Set("ragged_value_types", all.ragged_types);
  attrs.Set("ragged_split_types", std::vector<DType>(all.ragged_types.size(), DType::kInt64));
  const Operation parse = BuildOp(
      scope, "ParseExampleV2",
      {serialized, none, all.sparse_keys, all.keys, all.ragged_keys, InputList(all.defaults)},
      attrs);
  ParsedFeatures parsed = Collect(scope, parse, "", all);
  NameRagged(scope, features, is_single, &parsed);
  if (scope.ok()) MergePairs(scope, features, &parsed);
  return parsed;
}

Tensor BoolVector(const std::vector<bool>& values) {
  StatusOr<Tensor> tensor =
      Tensor::Allocate(DType::kBool, Shape({static_cast<int64_t>(values.size())}));
  if (!tensor.ok()) return Tensor();
  for (size_t i = 0; i < values.size(); ++i) tensor->data<bool>()[i] = values[i];
  return *std::move(tensor);
}

ParsedSequence ParseSequence(const Scope& scope, const Input& serialized,
                             const FeatureSpec& context_features,
                             const FeatureSpec& sequence_features) {
  if (context_features.empty() && sequence_features.empty()) {
    scope.Fail(InvalidArgument("ParseSequenceExample needs a feature"));
  }
  for (const auto& [key, feature] : context_features) {
    if (std::holds_alternative<FixedLenFeature>(feature) ||
        std::holds_alternative<VarLenFeature>(feature)) {
      continue;
    }
    scope.Fail(InvalidArgument("the feature '", key, "' of a sequence's context must be a ",
                               "FixedLenFeature or a VarLenFeature"));
  }
  if (!scope.ok()) return {};
  const Parameters context = ExampleParameters(scope, context_features);
  const Parameters steps = StepParameters(scope, sequence_features);
  const std::vector<std::string> none;
  const std::vector<DType> no_types;
  OpAttrs attrs;
  attrs.Set("Ncontext_sparse", static_cast<int64_t>(context.sparse_keys.size()))
      .Set("Nfeature_list_sparse", static_cast<int64_t>(steps.sparse_keys.size()))
      .Set("Nfeature_list_dense", static_cast<int64_t>(steps.keys.size()))
      .Set("context_sparse_types", context.sparse_types)
      .Set("context_ragged_value_types", no_types)
      .Set("context_ragged_split_types", no_types)
      .Set("feature_list_dense_types", steps.types)
      .Set("feature_list_sparse_types", steps.sparse_types)
      .Set("feature_list_ragged_value_types", no_types)
      .Set("feature_list_ragged_split_types", no_types)
      .Set("context_dense_shapes", context.shapes)
      .Set("feature_list_dense_shapes", steps.shapes);
  const Operation parse =
      BuildOp(scope, "ParseSequenceExampleV2",
              {serialized, none, context.sparse_keys, context.keys, none, steps.sparse_keys,
               steps.keys, none, BoolVector(steps.may_be_missing), InputList(context.defaults)},
              attrs);
  if (!scope.ok()) return {};
  ParsedSequence parsed;
  parsed.context = Collect(scope, parse, "context_", context);
  parsed.sequence = Collect(scope, parse, "feature_list_", steps);
  const std::vector<Output> lengths = OutputsOf(scope, parse, "feature_list_dense_lengths");
  for (size_t i = 0; i < steps.keys.size() && i < lengths.size(); ++i) {
    parsed.lengths[steps.keys[i]] = scope(lengths[i]);
  }
  return parsed;
}

ParsedFeatures UsedIn(const Scope& scope, ParsedFeatures parsed) {
  for (auto& [key, output] : parsed.dense) output = scope(output);
  for (auto& [key, sparse] : parsed.sparse) {
    sparse = {scope(sparse.indices), scope(sparse.values), scope(sparse.dense_shape)};
  }
  for (auto& [key, ragged] : parsed.ragged) {
    ragged.values = scope(ragged.values);
    ragged.row_splits = scope(ragged.row_splits);
    for (Output& splits : ragged.outer_row_splits) splits = scope(splits);
  }
  return parsed;
}

}  // namespace

// A value of another type stays as it is: building the parser says then that it does not fit.
FixedLenFeature::FixedLenFeature(Shape feature_shape, DType feature_dtype,
                                 const Literal& default_for_missing)
    : FixedLenFeature(std::move(feature_shape), feature_dtype) {
  StatusOr<Tensor> value = default_for_missing.As(feature_dtype);
  if (!value.ok()) value = default_for_missing.As(default_for_missing.dtype());
  if (value.ok()) default_value = *std::move(value);
}

ParsedFeatures ParseSingleExample(ScopeRef scope_ref, const Input& serialized,
                                  const FeatureSpec& features) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ParseSingleExample").NameScope("ParseExample");
  return UsedIn(scope, Parse(inside, serialized, features, /*is_single=*/true));
}

ParsedFeatures ParseExample(ScopeRef scope_ref, const Input& serialized,
                            const FeatureSpec& features) {
  const Scope scope = scope_ref.scope();
  return UsedIn(scope, Parse(scope.OpenScope("ParseExample"), serialized, features,
                             /*is_single=*/false));
}

ParsedSequence ParseSequenceExample(ScopeRef scope_ref, const Input& serialized,
                                    const FeatureSpec& context_features,
                                    const FeatureSpec& sequence_features) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ParseSequenceExample").NameScope("ParseSequenceExample");
  ParsedSequence parsed = ParseSequence(inside, serialized, context_features, sequence_features);
  parsed.context = UsedIn(scope, std::move(parsed.context));
  parsed.sequence = UsedIn(scope, std::move(parsed.sequence));
  return parsed;
}

ParsedSequence ParseSingleSequenceExample(ScopeRef scope_ref, const Input& serialized,
                                          const FeatureSpec& context_features,
                                          const FeatureSpec& sequence_features) {
  const Scope scope = scope_ref.scope();
  const Scope inside =
      scope.OpenScope("ParseSingleSequenceExample").NameScope("ParseSequenceExample");
  if (scope.ok() && serialized.rank() > 0) {
    scope.Fail(InvalidArgument("ParseSingleSequenceExample takes one message, not ", "a tensor of ",
                               serialized.rank(), " dimensions"));
  }
  ParsedSequence parsed = ParseSequence(inside, serialized, context_features, sequence_features);
  parsed.context = UsedIn(scope, std::move(parsed.context));
  parsed.sequence = UsedIn(scope, std::move(parsed.sequence));
  return parsed;
}

Output DecodeRaw(ScopeRef scope, const Input& bytes, DType dtype, bool little_endian) {
  return BuildOutput(scope.scope(), "DecodeRaw", {bytes},
                     OpAttrs().Set("out_type", dtype).Set("little_endian", little_endian));
}

}  // namespace frontend
}  // namespace warpbeam
