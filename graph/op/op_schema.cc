#include "graph/op/op_schema.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "graph/op/node_types.h"
#include "graph/op/spec_text.h"

namespace warpbeam {
namespace {

// In the order in which TensorFlow writes the members of the named sets.
constexpr DType kNumberTypeList[] = {
    DType::kFloat,      DType::kDouble,    DType::kInt32,  DType::kUInt8,   DType::kInt16,
    DType::kInt8,       DType::kComplex64, DType::kInt64,  DType::kQInt8,   DType::kQUInt8,
    DType::kQInt32,     DType::kBFloat16,  DType::kQInt16, DType::kQUInt16, DType::kUInt16,
    DType::kComplex128, DType::kHalf,      DType::kUInt32, DType::kUInt64};
constexpr DType kRealNumberTypeList[] = {
    DType::kFloat, DType::kDouble,   DType::kInt32,  DType::kUInt8, DType::kInt16,  DType::kInt8,
    DType::kInt64, DType::kBFloat16, DType::kUInt16, DType::kHalf,  DType::kUInt32, DType::kUInt64};
constexpr DType kQuantizedTypeList[] = {DType::kQInt8, DType::kQUInt8, DType::kQInt32,
                                        DType::kQInt16, DType::kQUInt16};

Span<const DType> NamedTypeSet(absl::string_view name) {
  if (name == "numbertype" || name == "numerictype") return kNumberTypeList;
  if (name == "realnumbertype" || name == "realnumerictype") return kRealNumberTypeList;
  if (name == "quantizedtype") return kQuantizedTypeList;
  return {};
}

bool IsIdentifier(absl::string_view s) {
  if (s.empty() || !(absl::ascii_isalpha(s[0]) || s[0] == '_')) return false;
  for (char c : s) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

// "{half, float}" or "{'SAME', 'VALID'}", after the brace. Returns the attribute type.
StatusOr<std::string> ReadAllowedSet(SpecCursor& c, AttrValue* allowed) {
  if (c.Next("'") || c.Next("\"")) {
    std::vector<std::string> words;
    while (!c.Take("}")) {
      WB_ASSIGN_OR_RETURN(std::string word, c.Quoted());
      words.push_back(std::move(word));
      if (!c.Take(",") && !c.Next("}")) return InvalidArgument("expected ',' or '}'");
    }
    *allowed = AttrValue(std::move(words));
    return std::string("string");
  }
  std::vector<DType> types;
  while (!c.Take("}")) {
    const std::string word(c.Word());
    const Span<const DType> named = NamedTypeSet(word);
    if (!named.empty()) {
      types.insert(types.end(), named.begin(), named.end());
    } else if (DType t = ParseDType(word); t != DType::kInvalid) {
      types.push_back(t);
    } else {
      return InvalidArgument("'", word, "' is no type");
    }
    if (!c.Take(",") && !c.Next("}")) return InvalidArgument("expected ',' or '}'");
  }
  *allowed = AttrValue(std::move(types));
  return std::string("type");
}

StatusOr<std::string> ReadElementType(SpecCursor& c, AttrValue* allowed) {
  if (c.Take("{")) return ReadAllowedSet(c, allowed);
  const std::string word(c.Word());
  const Span<const DType> named = NamedTypeSet(word);
  if (!named.empty()) {
    *allowed = AttrValue(std::vector<DType>(named.begin(), named.end()));
    return std::string("type");
  }
  for (const char* known : {"int", "float", "bool", "string", "type", "shape", "tensor", "func"}) {
    if (word == known) return word;
  }
  return InvalidArgument("'", word, "' is no type of attributes");
}

StatusOr<AttrSpec> ReadAttrSpec(SpecCursor& c) {
  AttrSpec attr;
  attr.name = std::string(c.Word());
  if (!IsIdentifier(attr.name) || !c.Take(":")) return InvalidArgument("expected 'name: type'");
  if (c.Take("list(")) {
    WB_ASSIGN_OR_RETURN(std::string element, ReadElementType(c, &attr.allowed_values));
    if (!c.Take(")")) return InvalidArgument("expected ')'");
    attr.type = absl::StrCat("list(", element, ")");
  } else {
    WB_ASSIGN_OR_RETURN(attr.type, ReadElementType(c, &attr.allowed_values));
  }
  if (c.Take(">=")) {
    if (attr.type != "int" && attr.type.compare(0, 5, "list(") != 0) {
      return InvalidArgument("only int and list(...) may have a minimum");
    }
    const absl::string_view number = c.Number();
    if (!absl::SimpleAtoi(number, &attr.minimum)) {
      return InvalidArgument("'", number, "' is no minimum");
    }
    attr.has_minimum = true;
  }
  if (c.Take("=")) {
    WB_ASSIGN_OR_RETURN(attr.default_value, ReadSpecValue(attr.type, c));
    WB_RETURN_IF_ERROR(CheckAttr(attr, attr.default_value));
  }
  if (!c.done()) return InvalidArgument("nothing may follow at '", c.rest(), "'");
  return attr;
}

AttrSpec* FindMutableAttr(OpSchema& schema, absl::string_view name) {
  for (AttrSpec& a : schema.attrs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

// A list argument has at least one element unless its attribute says otherwise.
void SetLeastOne(AttrSpec* attr) {
  if (attr->has_minimum) return;
  attr->has_minimum = true;
  attr->minimum = 1;
}

Status ReadArgType(SpecCursor& c, OpSchema& schema, ArgSpec* arg) {
  std::string word(c.Word());
  if (c.Take("*")) {
    AttrSpec* number = FindMutableAttr(schema, word);
    if (number == nullptr || number->type != "int") {
      return InvalidArgument("'", word, "' is no int attribute");
    }
    SetLeastOne(number);
    arg->number_attr = word;
    word = std::string(c.Word());
  }
  AttrSpec* attr = FindMutableAttr(schema, word);
  if (attr != nullptr && attr->type == "type") {
    arg->type_attr = word;
  } else if (attr != nullptr && attr->type == "list(type)" && arg->number_attr.empty()) {
    SetLeastOne(attr);
    arg->type_list_attr = word;
  } else if (attr != nullptr) {
    return InvalidArgument("the attribute '", word, "' is no type");
  } else {
    arg->type = ParseDType(word);
    if (arg->type == DType::kInvalid) {
      return InvalidArgument("'", word, "' is neither a type nor an attribute");
    }
  }
  return OkStatus();
}

StatusOr<ArgSpec> ReadArgSpec(absl::string_view spec, OpSchema& schema) {
  SpecCursor c(spec);
  ArgSpec arg;
  arg.name = std::string(c.Word());
  if (!IsIdentifier(arg.name) || !c.Take(":")) return InvalidArgument("expected 'name: type'");
  arg.is_ref = c.Take("Ref(");
  WB_RETURN_IF_ERROR(ReadArgType(c, schema, &arg));
  if (arg.is_ref && !c.Take(")")) return InvalidArgument("expected ')'");
  if (!c.done()) return InvalidArgument("nothing may follow at '", c.rest(), "'");
  return arg;
}

}  // namespace

const AttrSpec* OpSchema::FindAttr(absl::string_view attr) const {
  for (const AttrSpec& a : attrs) {
    if (a.name == attr) return &a;
  }
  return nullptr;
}

StatusOr<AttrSpec> ParseAttrSpec(absl::string_view spec) {
  SpecCursor c(spec);
  StatusOr<AttrSpec> attr = ReadAttrSpec(c);
  if (attr.ok()) return attr;
  return Annotate(attr.status(), absl::StrCat("attribute spec \"", spec, "\""));
}

OpSchemaBuilder::OpSchemaBuilder(absl::string_view name, absl::string_view library) : name_(name) {
  schema_.library = std::string(library);
}

OpSchemaBuilder& OpSchemaBuilder::Input(absl::string_view spec) {
  inputs_.emplace_back(spec);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Output(absl::string_view spec) {
  outputs_.emplace_back(spec);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Attr(absl::string_view spec) {
  attrs_.emplace_back(spec);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::ControlOutput(absl::string_view name) {
  schema_.control_outputs.emplace_back(name);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Stateful() {
  schema_.is_stateful = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Commutative() {
  schema_.is_commutative = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Role(OpRole role) {
  schema_.role = role;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::PassesOn(PassOn what) {
  schema_.passes_on = what;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Effect(StateEffect effect) {
  schema_.effect = effect;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Effect(absl::string_view input, StateEffect effect) {
  input_effects_.emplace_back(input, effect);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::DependsOn(Chance chance) {
  schema_.chance = chance;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Costs(CostClass cost_class) {
  schema_.cost_class = cost_class;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::ReadsShapesOnly() {
  schema_.reads_shapes_only = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Aggregate() {
  schema_.is_aggregate = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::AllowsUninitializedInput() {
  schema_.allows_uninitialized_input = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::DistributedCommunication() {
  schema_.is_distributed_communication = true;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Needs(Capability capability) {
  schema_.capability = capability;
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Deprecated(int since, absl::string_view why) {
  schema_.deprecated_since = since;
  schema_.deprecation = std::string(why);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Doc(absl::string_view text) {
  schema_.doc = std::string(text);
  return *this;
}
OpSchemaBuilder& OpSchemaBuilder::Shape(ShapeFn fn) {
  schema_.shape_fn = std::move(fn);
  return *this;
}

StatusOr<OpSchema> OpSchemaBuilder::Build() const {
  OpSchema schema = schema_;
  schema.name = name_;
  if (name_.empty()) return InvalidArgument("an op needs a name");
  const auto place = [&](absl::string_view what, absl::string_view spec) {
    return absl::StrCat("op '", name_, "', ", what, " \"", spec, "\"");
  };
  for (const std::string& spec : attrs_) {
    SpecCursor c(spec);
    StatusOr<AttrSpec> attr = ReadAttrSpec(c);
    if (!attr.ok()) return Annotate(attr.status(), place("attribute", spec));
    if (schema.FindAttr(attr->name) != nullptr) {
      return InvalidArgument(place("attribute", spec), ": the name is taken");
    }
    schema.attrs.push_back(*std::move(attr));
  }
  const auto add_args = [&](absl::string_view what, const std::vector<std::string>& specs,
                            std::vector<ArgSpec>* args) -> Status {
    for (const std::string& spec : specs) {
      StatusOr<ArgSpec> arg = ReadArgSpec(spec, schema);
      if (!arg.ok()) return Annotate(arg.status(), place(what, spec));
      for (const ArgSpec& other : *args) {
        if (other.name == arg->name) {
          return InvalidArgument(place(what, spec), ": the name is taken");
        }
      }
      args->push_back(*std::move(arg));
    }
    return OkStatus();
  };
  WB_RETURN_IF_ERROR(add_args("input", inputs_, &schema.inputs));
  WB_RETURN_IF_ERROR(add_args("output", outputs_, &schema.outputs));
  for (const auto& [input, effect] : input_effects_) {
    const auto arg = std::find_if(schema.inputs.begin(), schema.inputs.end(),
                                  [&name = input](const ArgSpec& a) { return a.name == name; });
    if (arg == schema.inputs.end()) {
      return InvalidArgument(place("effect on input", input), ": there is no such input");
    }
    arg->effect = effect;
  }
  return schema;
}

}  // namespace warpbeam
