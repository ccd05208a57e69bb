#include "tools/op_lists/op_list_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/op/op_registry.h"
#include "runtime/record/file.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/expectations.h"
#include "tests/golden/gradient_differences.h"
#include "tests/golden/kernel_differences.h"
#include "tools/op_table/op_table.h"

namespace warpbeam {
namespace {

constexpr char kWrappers[] = "frontend/ops";
constexpr char kCases[] = "tests/conformance/";

// What earlier runs have written into frontend/ops; the other files there are not ours.
StatusOr<std::set<std::string>> EarlierWrappers() {
  std::set<std::string> wrappers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kWrappers, error)) {
    const std::string path = entry.path().string();
    if (!absl::EndsWith(path, ".h") && !absl::EndsWith(path, ".cc")) continue;
    WB_ASSIGN_OR_RETURN(const std::string text, ReadFileToString(path));
    if (absl::StartsWith(text, frontend::kGeneratedMarker)) wrappers.insert(path);
  }
  if (error) return NotFound("cannot read the folder '", kWrappers, "': ", error.message());
  return wrappers;
}

std::string RunOne(const CaseBytes& c) {
  return absl::StrJoin(RunCase(c.wire_form, CaseOptions()), "\n");
}

}  // namespace

StatusOr<std::vector<ListFile>> OpListFiles() {
  WB_RETURN_IF_ERROR(OpRegistry::CheckGlobal());
  WB_ASSIGN_OR_RETURN(const DifferenceMap kernels, KernelDifferences());
  WB_ASSIGN_OR_RETURN(const DifferenceMap gradients, GradientDifferences());
  WB_ASSIGN_OR_RETURN(OpFacts facts, ReadOpFacts());
  // The table says what is true now, not what the files said before.
  facts.kernel_differences = DifferencesText(kernels);
  facts.gradient_differences = DifferencesText(gradients);
  WB_ASSIGN_OR_RETURN(std::vector<ListFile> files,
                      frontend::GenerateOpWrappers(OpRegistry::Global(), facts.families));
  WB_ASSIGN_OR_RETURN(std::string table, OpTable(facts));
  files.push_back({"docs/ops.md", std::move(table)});
  files.push_back({kKernelDifferencesFile, facts.kernel_differences});
  files.push_back({kGradientDifferencesFile, facts.gradient_differences});
  files.push_back({absl::StrCat(kCases, kSupportedOpsFile), SupportedOpsText()});
  return files;
}

StatusOr<ListFile> FailingCasesFile() {
  WB_ASSIGN_OR_RETURN(const std::vector<CaseBytes> cases,
                      LoadCases({absl::StrCat(kCases, "cases")}));
  const std::vector<CaseResult> results = RunForked(cases, RunOne, ForkOptions());
  return ListFile{absl::StrCat(kCases, kFailingFile), FailingText(cases, results)};
}

StatusOr<std::vector<std::string>> WriteOpLists(const std::vector<ListFile>& files) {
  WB_ASSIGN_OR_RETURN(std::set<std::string> stale, EarlierWrappers());
  std::vector<std::string> changed;
  for (const ListFile& file : files) {
    stale.erase(file.path);
    const StatusOr<std::string> present = ReadFileToString(file.path);
    if (present.ok() && *present == file.text) continue;
    WB_RETURN_IF_ERROR(WriteStringToFile(file.path, file.text));
    changed.push_back(file.path);
  }
  for (const std::string& path : stale) {
    std::error_code error;
    if (!std::filesystem::remove(path, error)) {
      return FailedPrecondition("cannot remove '", path, "': ", error.message());
    }
    changed.push_back(path);
  }
  return changed;
}

}  // namespace warpbeam
