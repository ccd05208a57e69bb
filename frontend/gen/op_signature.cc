#include "frontend/gen/op_signature.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

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
      "void",   "while",   "xor",      "scope",  "attrs",     "op",     "here",   "map"};
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

// Where a line may be broken.
constexpr char kBreak = '\v';
constexpr char kComma[] = ",\v ";

// `text` in lines that end at breaks and begin with `indent`.
std::string Wrapped(absl::string_view text, absl::string_view indent) {
  std::string wrapped;
  size_t length = 0;  // of the last line
  for (absl::string_view piece : absl::StrSplit(text, kBreak)) {
    if (length > 0 && length + piece.size() > kLineLength) {
      absl::ConsumePrefix(&piece, " ");
      absl::StrAppend(&wrapped, "\n", indent);
      length = indent.size();
    }
    absl::StrAppend(&wrapped, piece);
    length += piece.size();
  }
  return wrapped;
}

// The same in one line; empty when it is too long for that.
std::string Line(absl::string_view text) {
  const std::string wrapped = Wrapped(text, "\n");
  return absl::StrContains(wrapped, '\n') ? "" : wrapped + "\n";
}

std::string Comment(absl::string_view text, absl::string_view indent) {
  return Wrapped(absl::StrReplaceAll(absl::StrCat("// ", text), {{" ", "\v "}}),
                 absl::StrCat("// ", indent)) +
         "\n";
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

std::string OpSignature::AttrsStruct() const {
  if (optional_.empty()) return "";
  const std::string name = schema_.name + "Attrs";
  std::string text = absl::StrCat("struct ", name, " : OpAttrs {\n");
  for (const AttrSpec* attr : optional_) {
    absl::StrAppend(&text, "  ", name, "& ", Identifier(attr->name), "(", AttrType(*attr),
                    " value) { return Set(\"", attr->name, "\", value), *this; }\n");
  }
  return text + "};\n";
}

std::string OpSignature::OutputsStruct() const {
  if (schema_.outputs.size() < 2) return "";
  std::string text = absl::StrCat("struct ", schema_.name, "Outputs {");
  absl::string_view last;
  for (const ArgSpec& arg : schema_.outputs) {
    const absl::string_view type = IsList(arg) ? "OutputList" : "Output";
    if (type == last) {
      absl::StrAppend(&text, kComma, Identifier(arg.name));
    } else {
      absl::StrAppend(&text, last.empty() ? " " : ";\v ", type, " ", Identifier(arg.name));
    }
    last = type;
  }
  // No third member, so that `const auto [values, indices] = …` takes the outputs.
  const std::string outputs = absl::StrJoin(
      schema_.outputs, kComma,
      [](std::string* out, const ArgSpec& arg) { out->append(Identifier(arg.name)); });
  return Wrapped(absl::StrCat(text, ";\v Operation op() const { return OperationOf(", outputs,
                              "); } };"),
                 "  ") +
         "\n";
}

std::string OpSignature::ResultType() const {
  if (schema_.outputs.empty()) return "Operation";
  if (schema_.outputs.size() > 1) return absl::StrCat(schema_.name, "Outputs");
  return IsList(schema_.outputs[0]) ? "OutputList" : "Output";
}

std::string OpSignature::Head(bool declaration) const {
  const char* const input = declaration ? "const Input& " : "In ";
  const char* const list = declaration ? "const InputList& " : "InList ";
  std::string text = absl::StrCat(ResultType(), " ", schema_.name, "(ScopeRef scope");
  for (const ArgSpec& arg : schema_.inputs) {
    absl::StrAppend(&text, kComma, IsList(arg) ? list : input, Identifier(arg.name));
  }
  for (const AttrSpec* attr : required_) {
    absl::StrAppend(&text, kComma, AttrType(*attr), " ", Identifier(attr->name));
  }
  if (!optional_.empty()) {
    absl::StrAppend(&text, kComma, "const ", schema_.name, "Attrs& attrs",
                    declaration ? " = {}" : "");
  }
  return text + ")";
}

std::string OpSignature::Arguments() const {
  const std::string inputs = absl::StrJoin(
      schema_.inputs, kComma,
      [](std::string* out, const ArgSpec& arg) { out->append(Identifier(arg.name)); });
  std::string text = absl::StrCat("\"", schema_.name, "\"", kComma, "{", inputs, "}");
  // BuildOutputs wants attributes; the others do without.
  const bool list = schema_.outputs.size() == 1 && IsList(schema_.outputs[0]);
  if (optional_.empty() && required_.empty() && !list) return text;
  absl::StrAppend(&text, kComma,
                  optional_.empty()   ? "OpAttrs()"
                  : required_.empty() ? "attrs"
                                      : "OpAttrs(attrs)");
  for (const AttrSpec* attr : required_) {
    absl::StrAppend(&text, "\v.Set(\"", attr->name, "\", ", Identifier(attr->name), ")");
  }
  return text;
}

std::string OpSignature::Body() const {
  if (schema_.outputs.size() < 2) {
    const bool list = schema_.outputs.size() == 1 && IsList(schema_.outputs[0]);
    const char* build = schema_.outputs.empty() ? "BuildOp" : list ? "BuildOutputs" : "BuildOutput";
    return absl::StrCat("return ", build, "(scope", kComma, Arguments(), ");");
  }
  return absl::StrCat("const Scope here = scope.scope();\n", "const Operation op = BuildOp(here",
                      kComma, Arguments(), ");\n", "return {",
                      absl::StrJoin(schema_.outputs, kComma,
                                    [](std::string* out, const ArgSpec& arg) {
                                      absl::StrAppend(out, IsList(arg) ? "OutputsOf" : "OutputOf",
                                                      "(here, op, \"", arg.name, "\")");
                                    }),
                      "};");
}

std::string OpSignature::Declaration() const {
  const std::string head = Head(true) + ";";
  const std::string types =
      absl::StrCat(ArgsText(schema_.inputs), " -> ", ArgsText(schema_.outputs));
  std::string before = AttrsStruct() + OutputsStruct();
  if (before.empty() && schema_.deprecation.empty()) {
    const std::string line = Line(absl::StrCat(head, "\v  // ", types));
    if (!line.empty()) return line;
  }
  before += Comment(types, "    ");
  if (!schema_.deprecation.empty()) {
    before += Comment(absl::StrCat("Deprecated: ", schema_.deprecation), "");
  }
  return absl::StrCat(before, Wrapped(head, "    "), "\n");
}

std::string OpSignature::Definition() const {
  const std::string head = Head(false) + " {", body = Body();
  const std::string line = Line(absl::StrCat(head, "\v ", body, "\v }"));
  if (!line.empty()) return line;
  std::string text = Wrapped(head, "    ");
  for (const absl::string_view statement : absl::StrSplit(body + " }", '\n')) {
    absl::StrAppend(&text, "\n", Wrapped(absl::StrCat("  ", statement), "      "));
  }
  return text + "\n";
}

}  // namespace frontend
}  // namespace warpbeam
