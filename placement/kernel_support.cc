#include "placement/kernel_support.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace {

// Functions that call functions deeper than this are taken to run anywhere; the runtime, which
// limits the depth of calls itself, refuses them with a better message.
constexpr int kMaxCallDepth = 64;

bool IsTypeAttr(const AttrSpec& spec) { return spec.type == "type" || spec.type == "list(type)"; }

// The op and its types as a few bytes.
void WriteKey(const OpSchema& schema, const AttrMap& attrs, std::string* key) {
  key->assign(schema.name);
  for (const AttrSpec& spec : schema.attrs) {
    if (!IsTypeAttr(spec)) continue;
    key->push_back('\0');
    const AttrValue* value = attrs.Find(spec.name);
    if (value == nullptr) continue;
    if (value->kind() == AttrValue::Kind::kType) {
      key->push_back(static_cast<char>(value->type()));
    } else if (value->kind() == AttrValue::Kind::kTypeList) {
      // A list must satisfy a constraint throughout, so its length and order do not matter; but a
      // catalog may look at more than that.
      for (DType type : value->list<DType>()) key->push_back(static_cast<char>(type));
    }
  }
}

// The attributes of a node in a function's body, with the call's in place of placeholders.
AttrMap BodyAttrs(const OpSchema& schema, const AttrMap& written, const AttrMap& call) {
  AttrMap attrs;
  for (const auto& [name, value] : written) {
    if (value.kind() != AttrValue::Kind::kPlaceholder) {
      attrs.Set(name, value);
    } else if (const AttrValue* given = call.Find(value.placeholder()); given != nullptr) {
      attrs.Set(name, *given);
    }
  }
  // Only defaults are wanted here; what is wrong with the body is for its instantiation to say.
  CompleteAttrs(schema, &attrs, /*ignore_unknown=*/true).IgnoreError();
  return attrs;
}

}  // namespace

DeviceTypes KernelSupport::Of(const Graph& graph, const Node& node) {
  return OfOp(graph, node.op(), node.attrs(), 0);
}

DeviceTypes KernelSupport::OfOp(const Graph& graph, const OpSchema& schema, const AttrMap& attrs,
                                int depth) {
  WriteKey(schema, attrs, &key_);
  if (auto it = ops_.find(key_); it != ops_.end()) return it->second;
  if (graph.functions().size() > 0 && !catalog_->KnowsOp(schema.name)) {
    if (auto it = functions_.find(key_); it != functions_.end()) return it->second;
    if (auto function = graph.functions().Find(schema.name); function != nullptr) {
      return OfFunction(graph, *function, attrs, std::string(key_), depth);
    }
  }
  DeviceTypes types = 0;
  for (DeviceType type : {DeviceType::kCpu, DeviceType::kGpu}) {
    if (catalog_->Supports(schema, attrs, type)) types |= BitOf(type);
  }
  ops_.emplace(key_, types);
  return types;
}

DeviceTypes KernelSupport::OfFunction(const Graph& graph, const Function& function,
                                      const AttrMap& attrs, const std::string& key, int depth) {
  functions_[key] = kEveryDeviceType;  // while the body is looked at, for recursive functions
  DeviceTypes types = kEveryDeviceType;
  if (depth >= kMaxCallDepth) return types;
  for (const NodeSpec& spec : function.nodes) {
    auto schema = graph.FindSchema(spec.op);
    if (!schema.ok()) continue;  // reported when the function is instantiated
    types &= OfOp(graph, **schema, BodyAttrs(**schema, spec.attrs, attrs), depth + 1);
  }
  functions_[key] = types;
  return types;
}

std::string TypeAttributes(const OpSchema& schema, const AttrMap& attrs) {
  std::string out;
  for (const AttrSpec& spec : schema.attrs) {
    const AttrValue* value = IsTypeAttr(spec) ? attrs.Find(spec.name) : nullptr;
    if (value == nullptr) continue;
    absl::StrAppend(&out, out.empty() ? "" : ", ", spec.name, "=");
    if (value->kind() == AttrValue::Kind::kType) {
      absl::StrAppend(&out, DTypeName(value->type()));
    } else {
      absl::StrAppend(&out, value->ToString());
    }
  }
  return out;
}

}  // namespace warpbeam
