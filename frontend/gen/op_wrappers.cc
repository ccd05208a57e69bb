#include "frontend/gen/op_wrappers.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontend/gen/op_signature.h"

namespace warpbeam {
namespace frontend {
namespace {

StatusOr<std::map<std::string, std::string>> ParseFamilies(const std::string& text) {
  std::map<std::string, std::string> families;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    if (parts.size() != 2) return InvalidArgument("no op and family: '", line, "'");
    families[parts[0]] = parts[1];
  }
  return families;
}

std::string Path(const std::string& name) { return absl::StrCat("frontend/ops/", name); }

// `body` in the namespace of the functions.
std::string InNamespace(const std::string& body) {
  return absl::StrCat("namespace warpbeam::frontend::ops {\n", body,
                      "\n}  // namespace warpbeam::frontend::ops\n");
}

GeneratedFile Header(const std::string& family, const std::vector<const OpSchema*>& schemas) {
  std::string functions;
  bool after_line = false;  // Lines stand together, longer declarations apart.
  for (const OpSchema* schema : schemas) {
    const std::string declaration = OpSignature(*schema).Declaration();
    const bool line = std::count(declaration.begin(), declaration.end(), '\n') == 1;
    absl::StrAppend(&functions, line && after_line ? "" : "\n", declaration);
    after_line = line;
  }
  const std::string guard =
      absl::StrCat("WARPBEAM_FRONTEND_OPS_", absl::AsciiStrToUpper(family), "_H_");
  return {
      Path(family + ".h"),
      absl::StrCat(kGeneratedMarker,
                   "\n// clang-format off\n//\n"
                   "// A function for each op of the family: it adds the op to the scope's graph.\n"
                   "//\n"
                   "// Ownership: the graph owns the nodes. Thread safety: that of the Scope. "
                   "Errors: kept in the\n// scope; results are then not valid.\n"
                   "#ifndef ",
                   guard, "\n#define ", guard,
                   "\n\n#include <string>\n#include <vector>\n\n"
                   "#include \"frontend/build.h\"\n\n",
                   InNamespace(functions), "\n#endif  // ", guard, "\n")};
}

GeneratedFile Source(const std::string& family, const std::vector<const OpSchema*>& schemas) {
  std::string functions = "\nusing In = const Input&;\nusing InList = const InputList&;\n\n";
  for (const OpSchema* schema : schemas) functions += OpSignature(*schema).Definition();
  return {Path(family + ".cc"),
          absl::StrCat(kGeneratedMarker, "\n// clang-format off\n#include \"", Path(family + ".h"),
                       "\"\n\n", InNamespace(functions))};
}

}  // namespace

StatusOr<std::vector<GeneratedFile>> GenerateOpWrappers(const OpRegistry& ops,
                                                        const std::string& families) {
  WB_ASSIGN_OR_RETURN(const auto family_of, ParseFamilies(families));
  std::map<std::string, std::vector<const OpSchema*>> grouped;
  for (const OpSchema* schema : ops.All()) {
    if (schema->name[0] == '_') continue;  // the system's own
    const auto found = family_of.find(schema->name);
    grouped[found == family_of.end() ? "other_ops" : found->second].push_back(schema);
  }
  std::vector<GeneratedFile> files;
  for (const auto& [name, schemas] : grouped) {
    files.push_back(Header(name, schemas));
    files.push_back(Source(name, schemas));
  }
  return files;
}

}  // namespace frontend
}  // namespace warpbeam
