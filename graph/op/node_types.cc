#include "graph/op/node_types.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace warpbeam {
namespace {

using Kind = AttrValue::Kind;

// A node may not stand for more tensors than this, whatever a foreign graph's attributes say.
constexpr int64_t kMaxListLength = int64_t{1} << 20;

bool KindIs(const std::string& type, Kind kind) {
  if (type.compare(0, 5, "list(") == 0 && kind == Kind::kEmptyList) return true;
  return type == AttrValue::KindName(kind);
}

std::string AllowedNames(const AttrValue& allowed) {
  if (allowed.kind() == Kind::kTypeList) {
    return absl::StrJoin(allowed.list<DType>(), ", ",
                         [](std::string* out, DType t) { out->append(DTypeName(t)); });
  }
  return absl::StrCat("'", absl::StrJoin(allowed.list<std::string>(), "', '"), "'");
}

template <typename T>
bool IsIn(const T& value, const std::vector<T>& allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

template <typename T>
bool AllIn(const std::vector<T>& values, const std::vector<T>& allowed) {
  return std::all_of(values.begin(), values.end(), [&](const T& v) { return IsIn(v, allowed); });
}

bool IsAllowed(const AttrValue& allowed, const AttrValue& value) {
  switch (value.kind()) {
    case Kind::kType:
      return IsIn(value.type(), allowed.list<DType>());
    case Kind::kTypeList:
      return AllIn(value.list<DType>(), allowed.list<DType>());
    case Kind::kString:
      return IsIn(value.s(), allowed.list<std::string>());
    case Kind::kStringList:
      return AllIn(value.list<std::string>(), allowed.list<std::string>());
    default:
      return true;
  }
}

bool IsKnownType(DType t) { return DTypeSize(t) != 0; }

bool DecidesTypes(const OpSchema& schema, const std::string& attr) {
  const auto uses = [&](const ArgSpec& arg) {
    return arg.type_attr == attr || arg.number_attr == attr || arg.type_list_attr == attr;
  };
  return std::any_of(schema.inputs.begin(), schema.inputs.end(), uses) ||
         std::any_of(schema.outputs.begin(), schema.outputs.end(), uses);
}

StatusOr<DType> ArgType(const ArgSpec& arg, const AttrMap& attrs) {
  DType type = arg.type;
  if (!arg.type_attr.empty()) {
    const AttrValue* v = attrs.Find(arg.type_attr);
    if (v == nullptr) return NotFound("the attribute '", arg.type_attr, "' is missing");
    if (v->kind() != Kind::kType) {
      return InvalidArgument("the attribute '", arg.type_attr, "' is no type");
    }
    type = v->type();
  }
  return arg.is_ref ? RefType(type) : type;
}

StatusOr<int64_t> ArgNumber(const ArgSpec& arg, const AttrMap& attrs) {
  const AttrValue* v = attrs.Find(arg.number_attr);
  if (v == nullptr) return NotFound("the attribute '", arg.number_attr, "' is missing");
  if (v->kind() != Kind::kInt) {
    return InvalidArgument("the attribute '", arg.number_attr, "' is no int");
  }
  if (v->i() < 0 || v->i() > kMaxListLength) {
    return InvalidArgument("the attribute '", arg.number_attr, "' is ", v->i(),
                           ", no length of a list (at most ", kMaxListLength, ")");
  }
  return v->i();
}

StatusOr<const std::vector<DType>*> ArgTypeList(const ArgSpec& arg, const AttrMap& attrs) {
  const AttrValue* v = attrs.Find(arg.type_list_attr);
  if (v == nullptr) return NotFound("the attribute '", arg.type_list_attr, "' is missing");
  if (v->kind() != Kind::kTypeList && v->kind() != Kind::kEmptyList) {
    return InvalidArgument("the attribute '", arg.type_list_attr, "' is no list of types");
  }
  return &v->list<DType>();
}

Status AppendArgTypes(const ArgSpec& arg, const AttrMap& attrs, std::vector<DType>* out) {
  if (!arg.type_list_attr.empty()) {
    WB_ASSIGN_OR_RETURN(const std::vector<DType>* types, ArgTypeList(arg, attrs));
    for (DType t : *types) out->push_back(arg.is_ref ? RefType(t) : t);
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(DType type, ArgType(arg, attrs));
  if (arg.number_attr.empty()) {
    out->push_back(type);
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(int64_t count, ArgNumber(arg, attrs));
  out->insert(out->end(), static_cast<size_t>(count), type);
  return OkStatus();
}

StatusOr<std::vector<DType>> ArgTypes(const std::vector<ArgSpec>& args, const AttrMap& attrs) {
  std::vector<DType> types;
  types.reserve(args.size());
  for (const ArgSpec& arg : args) {
    Status added = AppendArgTypes(arg, attrs, &types);
    if (!added.ok()) return Annotate(added, absl::StrCat("argument '", arg.name, "'"));
  }
  return types;
}

// Sets `attr` unless it is there; a different value there already is an error.
Status Infer(const ArgSpec& arg, const std::string& attr, AttrValue value, AttrMap* inferred,
             const AttrMap& given) {
  if (given.Find(attr) != nullptr) return OkStatus();
  const AttrValue* before = inferred->Find(attr);
  if (before == nullptr) {
    inferred->Set(attr, std::move(value));
    return OkStatus();
  }
  if (*before == value) return OkStatus();
  return InvalidArgument("the input '", arg.name, "' makes the attribute '", attr, "' ",
                         value.ToString(), ", an earlier input made it ", before->ToString());
}

Status InferFromArg(const ArgSpec& arg, const std::vector<DType>& types, const AttrMap& given,
                    AttrMap* inferred) {
  if (!arg.type_list_attr.empty()) {
    std::vector<DType> base;
    for (DType t : types) base.push_back(BaseType(t));
    return Infer(arg, arg.type_list_attr, AttrValue(std::move(base)), inferred, given);
  }
  if (!arg.number_attr.empty()) {
    WB_RETURN_IF_ERROR(Infer(arg, arg.number_attr, AttrValue(static_cast<int64_t>(types.size())),
                             inferred, given));
  } else if (types.size() != 1) {
    return InvalidArgument("the input '", arg.name, "' is one tensor, got a list of ",
                           types.size());
  }
  if (arg.type_attr.empty()) return OkStatus();
  for (DType t : types) {
    WB_RETURN_IF_ERROR(Infer(arg, arg.type_attr, AttrValue(BaseType(t)), inferred, given));
  }
  return OkStatus();
}

}  // namespace

Status CheckAttr(const AttrSpec& spec, const AttrValue& value) {
  if (!KindIs(spec.type, value.kind())) {
    return InvalidArgument("the attribute '", spec.name, "' must be ", spec.type, ", got ",
                           AttrValue::KindName(value.kind()), " ", value.ToString());
  }
  if (value.kind() == Kind::kType && !IsKnownType(value.type())) {
    return InvalidArgument("the attribute '", spec.name, "' is ", value.ToString(),
                           ", no type of tensors");
  }
  if (spec.has_minimum) {
    const bool is_int = value.kind() == Kind::kInt;
    const int64_t n = is_int ? value.i() : static_cast<int64_t>(value.list_size());
    if (n < spec.minimum) {
      return InvalidArgument("the attribute '", spec.name,
                             is_int ? "' must be at least " : "' must have at least ", spec.minimum,
                             is_int ? ", got " : " elements, got ", n);
    }
  }
  if (spec.allowed_values.has_value() && !IsAllowed(spec.allowed_values, value)) {
    return InvalidArgument(
        "the attribute '", spec.name, "' is ", value.ToString(),
        ", which is not among the values allowed: ", AllowedNames(spec.allowed_values));
  }
  return OkStatus();
}

Status CompleteAttrs(const OpSchema& schema, AttrMap* attrs, bool ignore_unknown) {
  for (const AttrSpec& spec : schema.attrs) {
    if (const AttrValue* value = attrs->Find(spec.name); value != nullptr) {
      WB_RETURN_IF_ERROR(CheckAttr(spec, *value));
    } else if (spec.default_value.has_value()) {
      attrs->Set(spec.name, spec.default_value);
    } else if (DecidesTypes(schema, spec.name)) {
      // TensorFlow's sessions tell the two cases apart by code.
      return NotFound("the attribute '", spec.name, "' (", spec.type, ") is missing");
    } else {
      return InvalidArgument("the attribute '", spec.name, "' (", spec.type, ") is missing");
    }
  }
  if (ignore_unknown || attrs->size() == schema.attrs.size()) return OkStatus();
  for (const AttrMap::Entry& entry : *attrs) {
    if (entry.first.empty() || entry.first[0] == '_') continue;
    if (schema.FindAttr(entry.first) == nullptr) {
      return InvalidArgument("the op has no attribute '", entry.first, "'");
    }
  }
  return OkStatus();
}

StatusOr<std::vector<DType>> InputTypes(const OpSchema& schema, const AttrMap& attrs) {
  return ArgTypes(schema.inputs, attrs);
}

StatusOr<std::vector<DType>> OutputTypes(const OpSchema& schema, const AttrMap& attrs) {
  return ArgTypes(schema.outputs, attrs);
}

StatusOr<std::vector<int>> ArgSizes(const std::vector<ArgSpec>& args, const AttrMap& attrs) {
  std::vector<int> sizes;
  sizes.reserve(args.size());
  for (const ArgSpec& arg : args) {
    if (!arg.type_list_attr.empty()) {
      WB_ASSIGN_OR_RETURN(const std::vector<DType>* types, ArgTypeList(arg, attrs));
      sizes.push_back(static_cast<int>(types->size()));
    } else if (!arg.number_attr.empty()) {
      WB_ASSIGN_OR_RETURN(int64_t count, ArgNumber(arg, attrs));
      sizes.push_back(static_cast<int>(count));
    } else {
      sizes.push_back(1);
    }
  }
  return sizes;
}

Status InferAttrs(const OpSchema& schema, const std::vector<std::vector<DType>>& inputs,
                  AttrMap* attrs) {
  if (inputs.size() != schema.inputs.size()) {
    return InvalidArgument("the op has ", schema.inputs.size(), " inputs, got ", inputs.size());
  }
  AttrMap inferred;
  for (size_t i = 0; i < inputs.size(); ++i) {
    WB_RETURN_IF_ERROR(InferFromArg(schema.inputs[i], inputs[i], *attrs, &inferred));
  }
  for (const AttrMap::Entry& entry : inferred) attrs->Set(entry.first, entry.second);
  return OkStatus();
}

}  // namespace warpbeam
