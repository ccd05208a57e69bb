#include "frontend/parsing.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

using Outputs = std::map<std::string, Output>;

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

Output DefaultOf(const Scope& scope, const std::string& key, const FixedLenFeature& feature) {
  // An empty tensor says that there is no default.
  if (!feature.default_value.has_value()) {
    StatusOr<Tensor> none = Tensor::Allocate(feature.dtype, Shape({0}));
    return none.ok() ? Constant(scope, *std::move(none)) : Output();
  }
  const Output value = Constant(scope.Named(NameOfKey(key)), feature.default_value, feature.dtype);
  const std::vector<int32_t> shape(feature.shape.dims().begin(), feature.shape.dims().end());
  return Reshape(scope, value, shape);
}

Outputs Parse(const Scope& scope, const Input& serialized, const FeatureSpec& features) {
  std::vector<std::string> keys;
  std::vector<PartialShape> shapes;
  std::vector<Output> defaults;
  for (const auto& entry : features) {
    keys.push_back(entry.first);
    shapes.push_back(entry.second.shape);
    defaults.push_back(DefaultOf(scope, entry.first, entry.second));
  }
  const std::vector<std::string> none;
  OpAttrs attrs;
  attrs.Set("dense_shapes", shapes).Set("num_sparse", 0);
  attrs.Set("sparse_types", std::vector<DType>());
  attrs.Set("ragged_value_types", std::vector<DType>());
  attrs.Set("ragged_split_types", std::vector<DType>());
  const Operation parse = BuildOp(scope, "ParseExampleV2",
                                  {serialized, none, none, keys, none, InputList(defaults)}, attrs);
  const std::vector<Output> dense = OutputsOf(scope, parse, "dense_values");
  Outputs outputs;
  for (size_t i = 0; i < keys.size(); ++i) {
    outputs[keys[i]] = i < dense.size() ? dense[i] : Output();
  }
  return outputs;
}

Outputs UsedIn(const Scope& scope, Outputs outputs) {
  for (auto& entry : outputs) entry.second = scope(entry.second);
  return outputs;
}

}  // namespace

Outputs ParseSingleExample(ScopeRef scope_ref, const Input& serialized,
                           const FeatureSpec& features) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ParseSingleExample").NameScope("ParseExample");
  return UsedIn(scope, Parse(inside, serialized, features));
}

Outputs ParseExample(ScopeRef scope_ref, const Input& serialized, const FeatureSpec& features) {
  const Scope scope = scope_ref.scope();
  return UsedIn(scope, Parse(scope.OpenScope("ParseExample"), serialized, features));
}

Output DecodeRaw(ScopeRef scope, const Input& bytes, DType dtype, bool little_endian) {
  return BuildOutput(scope.scope(), "DecodeRaw", {bytes},
                     OpAttrs().Set("out_type", dtype).Set("little_endian", little_endian));
}

}  // namespace frontend
}  // namespace warpbeam
