#include "frontend/gen/op_signature.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr size_t kLineLength = 100;

// A name of the schema as C++ takes it.
std::string Identifier(const std::string& name) {
  static const std::set<std::string>* const kTaken = new std::set<std::string>{
      "and",    "auto",    "bool",     "case",   "char",      "class",  "const",  "default",
      "delete", "do",      "double",   "else",   "enum",      "export", "false",  "float",
      "for",    "if",      "int",      "long",   "namespace", "new",    "not",    "operator",
      "or",     "private", "public",   "return", "short",     "signed", "sizeof", "static",
      "struct", "switch",  "template", "this",   "true",      "try",    "union",  "using",
      "void",   "while",   "xor",      "scope",  "attrs",     "op",     "map"};
  return kTaken->count(name) > 0 ? name + "_" : name;
}

bool IsList(const ArgSpec& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

std::string ElementType(const std::string& type) {
  if (type == "int") return "int64_t";
  if (type == "float") return "float";
  if (type == "bool") return "bool";
  if (type == "type") return "DType";
  if (type == "shape") return "PartialShape";
  if (type == "tensor") return "Tensor";
  if (type == "func") return "FunctionRef";
  return "std::string";
}

std::string AttrType(const AttrSpec& attr) {
  if (attr.type.compare(0, 5, "list(") == 0) {
    const std::string element = attr.type.substr(5, attr.type.size() - 6);
    return absl::StrCat("const std::vector<", ElementType(element), ">&");
  }
  const std::string type = ElementType(attr.type);
  const bool small = type == "int64_t" || type == "float" || type == "bool" || type == "DType";
  return small ? type : absl::StrCat("const ", type, "&");
}

std::string ArgText(const ArgSpec& arg) {
  std::string type = arg.type != DType::kInvalid ? DTypeName(BaseType(arg.type)) : arg.type_attr;
  if (!arg.type_list_attr.empty()) type = arg.type_list_attr;
  if (!arg.number_attr.empty()) type = absl::StrCat(arg.number_attr, " * ", type);
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  return absl::StrCat(arg.name, ": ", type);
}

std::string ArgsText(const std::vector<ArgSpec>& args) {
  return absl::StrCat(
      "(",
      absl::StrJoin(args, ", ",
                    [](std::string* out, const ArgSpec& arg) { out->append(ArgText(arg)); }),
      ")");
}

// `begin` and the words, broken into lines that begin with `indent`.
std::string Wrapped(const std::string& begin, const std::vector<std::string>& words,
                    const std::string& separator, const std::string& indent) {
  std::string text = begin, line = begin;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? separator : "");
    if (i > 0 && line.size() + word.size() + 1 > kLineLength) {
      text += "\n" + indent;
      line = indent;
    } else if (i > 0) {
      text += " ";
      line += " ";
    }
    text += word;
    line += word;
  }
  return text;
}

}  // namespace

OpSignature::OpSignature(const OpSchema& schema) : schema_(schema) {
  for (const AttrSpec& attr : schema.attrs) {
    if (FollowsFromInputs(attr)) continue;
    (attr.default_value.has_value() ? optional_ : required_).push_back(&attr);
  }
}

bool OpSignature::FollowsFromInputs(const AttrSpec& attr) const {
  for (const ArgSpec& arg : schema_.inputs) {
    if (arg.type_attr == attr.name || arg.number_attr == attr.name ||
        arg.type_list_attr == attr.name) {
      return true;
    }
  }
  return false;
}

std::string OpSignature::Comment() const {
  const std::string text =
      absl::StrCat(ArgsText(schema_.inputs), " -> ", ArgsText(schema_.outputs));
  std::string comment = Wrapped("// ", absl::StrSplit(text, ' '), "", "//     ") + "\n";
  if (!schema_.deprecation.empty()) {
    const std::string why = absl::StrCat("Deprecated: ", schema_.deprecation);
    comment += Wrapped("// ", absl::StrSplit(why, ' '), "", "// ") + "\n";
  }
  return comment;
}

std::string OpSignature::AttrsClass() const {
  if (optional_.empty()) return "";
  std::string text = absl::StrCat("class ", schema_.name, "Attrs : public OpAttrs {\n public:\n");
  for (const AttrSpec* attr : optional_) {
    absl::StrAppend(&text, "  ", schema_.name, "Attrs& ", Identifier(attr->name), "(",
                    AttrType(*attr), " value) {");
    absl::StrAppend(&text, "\n    Set(\"", attr->name, "\", value);\n    return *this;\n  }\n");
  }
  return text + "};\n";
}

std::string OpSignature::OutputsStruct() const {
  if (schema_.outputs.size() < 2) return "";
  std::string text = absl::StrCat("struct ", schema_.name, "Outputs {\n");
  for (const ArgSpec& arg : schema_.outputs) {
    absl::StrAppend(&text, "  ", IsList(arg) ? "std::vector<Output>" : "Output", " ",
                    Identifier(arg.name), ";\n");
  }
  return text + "  Operation op;\n};\n";
}

std::string OpSignature::ResultType() const {
  if (schema_.outputs.empty()) return "Operation";
  if (schema_.outputs.size() > 1) return absl::StrCat(schema_.name, "Outputs");
  return IsList(schema_.outputs[0]) ? "std::vector<Output>" : "Output";
}

std::string OpSignature::Head(bool declaration) const {
  const std::string begin = absl::StrCat(ResultType(), " ", schema_.name, "(");
  std::vector<std::string> parameters = {"ScopeRef scope"};
  for (const ArgSpec& arg : schema_.inputs) {
    parameters.push_back(
        absl::StrCat(IsList(arg) ? "const InputList& " : "const Input& ", Identifier(arg.name)));
  }
  for (const AttrSpec* attr : required_) {
    parameters.push_back(absl::StrCat(AttrType(*attr), " ", Identifier(attr->name)));
  }
  if (!optional_.empty()) {
    parameters.push_back(
        absl::StrCat("const ", schema_.name, "Attrs& attrs",
                     declaration ? absl::StrCat(" = ", schema_.name, "Attrs()") : std::string()));
  }
  return Wrapped(begin, parameters, ",", std::string(4, ' ')) + ")";
}

std::string OpSignature::AttrsArgument() const {
  std::string text = optional_.empty()   ? "OpAttrs()"
                     : required_.empty() ? "attrs"
                                         : "OpAttrs(attrs)";
  for (const AttrSpec* attr : required_) {
    absl::StrAppend(&text, "\n          .Set(\"", attr->name, "\", ", Identifier(attr->name), ")");
  }
  return text;
}

std::string OpSignature::Declaration() const {
  return absl::StrCat(AttrsClass(), OutputsStruct(), Comment(), Head(true), ";\n");
}

std::string OpSignature::Definition() const {
  std::vector<std::string> inputs;
  for (const ArgSpec& arg : schema_.inputs) inputs.push_back(Identifier(arg.name));
  const std::string arguments =
      Wrapped(absl::StrCat("      scope.scope(), \"", schema_.name, "\", {"), inputs, ",",
              std::string(10, ' ')) +
      "},\n      " + AttrsArgument();
  const bool list = schema_.outputs.size() == 1 && IsList(schema_.outputs[0]);
  if (schema_.outputs.size() > 1) {
    std::string text = absl::StrCat(Head(false), " {\n  const Scope here = scope.scope();\n");
    absl::StrAppend(&text, "  const Operation built = BuildOp(\n", arguments, ");\n");
    absl::StrAppend(&text, "  ", schema_.name, "Outputs outputs;\n");
    for (const ArgSpec& arg : schema_.outputs) {
      absl::StrAppend(&text, "  outputs.", Identifier(arg.name), " = ",
                      IsList(arg) ? "OutputsOf" : "OutputOf", "(here, built, \"", arg.name,
                      "\");\n");
    }
    return text + "  outputs.op = built;\n  return outputs;\n}\n";
  }
  const char* build = schema_.outputs.empty() ? "BuildOp" : list ? "BuildOutputs" : "BuildOutput";
  return absl::StrCat(Head(false), " {\n  return ", build, "(\n", arguments, ");\n}\n");
}

}  // namespace frontend
}  // namespace warpbeam
