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

// What a source file may have, less what stands around the functions.
constexpr int kMaxLines = 560;

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

StatusOr<std::map<std::string, std::string>> ParseFamilies(const std::string& text) {
  std::map<std::string, std::string> families;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    if (parts.size() != 2) return InvalidArgument("no op and family: '", line, "'");
    families[parts[0]] = parts[1];
  }
  return families;
}

// One header and its source, being filled.
struct FilePair {
  std::string name;  // "math_ops_2"
  std::string declarations;
  std::string definitions;
};

GeneratedFile Header(const FilePair& pair) {
  const std::string guard =
      absl::StrCat("WARPBEAM_FRONTEND_OPS_", absl::AsciiStrToUpper(pair.name), "_H_");
  const std::string text = absl::StrCat(
      "// clang-format off\n"
      "// Written by //frontend/gen:generate from the ops' schemas; do not edit.\n"
      "//\n"
      "// One function for each op: it adds the op to the scope's graph.\n"
      "//\n"
      "// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in "
      "the\n"
      "// scope; results are then not valid.\n"
      "#ifndef ",
      guard, "\n#define ", guard,
      "\n\n#include <string>\n#include <vector>\n\n#include \"frontend/build.h\"\n\n"
      "namespace warpbeam {\nnamespace frontend {\nnamespace ops {\n\n",
      pair.declarations,
      "}  // namespace ops\n}  // namespace frontend\n}  // namespace warpbeam\n\n#endif  // ",
      guard, "\n");
  return {absl::StrCat("frontend/ops/", pair.name, ".h"), text};
}

GeneratedFile Source(const FilePair& pair) {
  const std::string text = absl::StrCat(
      "// clang-format off\n"
      "// Written by //frontend/gen:generate from the ops' schemas; do not edit.\n"
      "#include \"frontend/ops/",
      pair.name,
      ".h\"\n\n"
      "namespace warpbeam {\nnamespace frontend {\nnamespace ops {\n\n",
      pair.definitions,
      "}  // namespace ops\n}  // namespace frontend\n}  // namespace warpbeam\n");
  return {absl::StrCat("frontend/ops/", pair.name, ".cc"), text};
}

void WriteFamily(const std::string& family, const std::vector<const OpSchema*>& schemas,
                 std::vector<GeneratedFile>* files) {
  FilePair pair{family, "", ""};
  int part = 1;
  const auto flush = [&] {
    files->push_back(Header(pair));
    files->push_back(Source(pair));
  };
  for (const OpSchema* schema : schemas) {
    const OpSignature signature(*schema);
    const std::string declaration = signature.Declaration() + "\n";
    const std::string definition = signature.Definition() + "\n";
    if (!pair.declarations.empty() && (Lines(pair.declarations) + Lines(declaration) > kMaxLines ||
                                       Lines(pair.definitions) + Lines(definition) > kMaxLines)) {
      flush();
      pair = {absl::StrCat(family, "_", ++part), "", ""};
    }
    pair.declarations += declaration;
    pair.definitions += definition;
  }
  flush();
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
  for (const auto& group : grouped) WriteFamily(group.first, group.second, &files);
  return files;
}

}  // namespace frontend
}  // namespace warpbeam
