// The two lists that say what this program can do of the public cases: `supported_ops.txt`, the op
// types with a kernel, and `failing.txt`, the cases that do not pass yet. Tests keep both exact.
//
// failing.txt has a line per case, "name<TAB>op types of the case that are missing, or -". A case
// with "-" is made of supported ops and still differs. Lines that begin with '#' are comments.
//
// Thread safety: pure. Errors: NOT_FOUND for a file that is not there.
#ifndef WARPBEAM_TESTS_CONFORMANCE_EXPECTATIONS_H_
#define WARPBEAM_TESTS_CONFORMANCE_EXPECTATIONS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/forked_runner.h"

namespace warpbeam {

inline constexpr char kSupportedOpsFile[] = "supported_ops.txt";
inline constexpr char kFailingFile[] = "failing.txt";

// The lines of a list, comments left out.
StatusOr<std::vector<std::string>> ReadLines(const std::string& path);
// failing.txt as case name to missing ops.
StatusOr<std::map<std::string, std::string>> ReadFailing(const std::string& path);

// The public cases in `folder` that pass, of those whose names are `wanted`.
StatusOr<std::vector<CaseBytes>> PassingCases(
    const std::string& folder, const std::function<bool(absl::string_view name)>& wanted);

// Runs them, one after the other in processes of their own; a result for each.
StatusOr<std::vector<CaseResult>> RunPassingCases(
    const std::string& folder, const std::function<bool(absl::string_view name)>& wanted,
    const CaseOptions& options);

// What the lists should say: the text of each file.
std::string SupportedOpsText();
std::string FailingText(const std::vector<CaseBytes>& cases,
                        const std::vector<CaseResult>& results);

// The missing op types of a case as they stand in failing.txt.
std::string MissingColumn(const CaseBytes& c);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_EXPECTATIONS_H_
