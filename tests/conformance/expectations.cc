#include "tests/conformance/expectations.h"

#include <fstream>
#include <set>

#include "absl/strings/str_join.h"
#include "tests/conformance/case_ops.h"

namespace warpbeam {
namespace {

constexpr char kSupportedOpsTitle[] =
    "# The op types that have a kernel. Written by `bazel run //tools/op_lists`.\n";
constexpr char kFailingTitle[] =
    "# The public cases that do not pass yet, and the op types that each one lacks (\"-\": none, "
    "it "
    "differs).\n# Written by `bazel run //tools/op_lists`.\n";

}  // namespace

StatusOr<std::vector<std::string>> ReadLines(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("cannot open ", path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

StatusOr<std::map<std::string, std::string>> ReadFailing(const std::string& path) {
  WB_ASSIGN_OR_RETURN(std::vector<std::string> lines, ReadLines(path));
  std::map<std::string, std::string> failing;
  for (const std::string& line : lines) {
    const size_t tab = line.find('\t');
    failing[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
  }
  return failing;
}

StatusOr<std::vector<CaseBytes>> PassingCases(
    const std::string& folder, const std::function<bool(absl::string_view name)>& wanted) {
  WB_ASSIGN_OR_RETURN(std::vector<CaseBytes> cases, LoadCases({folder + "cases"}));
  WB_ASSIGN_OR_RETURN(const auto failing, ReadFailing(folder + kFailingFile));
  std::vector<CaseBytes> chosen;
  for (CaseBytes& c : cases) {
    if (failing.count(c.name) == 0 && wanted(c.name)) chosen.push_back(std::move(c));
  }
  return chosen;
}

StatusOr<std::vector<CaseResult>> RunPassingCases(
    const std::string& folder, const std::function<bool(absl::string_view name)>& wanted,
    const CaseOptions& options) {
  WB_ASSIGN_OR_RETURN(const std::vector<CaseBytes> cases, PassingCases(folder, wanted));
  ForkOptions forks;
  forks.jobs = 1;
  return RunForked(
      cases,
      [&](const CaseBytes& c) { return absl::StrJoin(RunCase(c.wire_form, options), "\n    "); },
      forks);
}

std::string MissingColumn(const CaseBytes& c) {
  static const std::set<std::string>* supported = [] {
    const std::vector<std::string> ops = SupportedOps();
    return new std::set<std::string>(ops.begin(), ops.end());
  }();
  const std::vector<std::string> missing = MissingOps(c, *supported);
  return missing.empty() ? "-" : absl::StrJoin(missing, " ");
}

std::string SupportedOpsText() {
  std::string text = kSupportedOpsTitle;
  for (const std::string& op : SupportedOps()) absl::StrAppend(&text, op, "\n");
  return text;
}

std::string FailingText(const std::vector<CaseBytes>& cases,
                        const std::vector<CaseResult>& results) {
  std::string text = kFailingTitle;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!results[i].passed()) {
      absl::StrAppend(&text, cases[i].name, "\t", MissingColumn(cases[i]), "\n");
    }
  }
  return text;
}

}  // namespace warpbeam
