// Which op types a case is made of, and which ones this program supports.
//
// Thread safety: pure. Errors: none; what does not parse has no op types.
#ifndef WARPBEAM_TESTS_CONFORMANCE_CASE_OPS_H_
#define WARPBEAM_TESTS_CONFORMANCE_CASE_OPS_H_

#include <set>
#include <string>
#include <vector>

#include "tests/conformance/case_file.h"

namespace warpbeam {

// The op types of the graph's nodes and of its function bodies, without the functions themselves.
std::set<std::string> OpTypesOf(const CaseBytes& c);

// The op types that are registered and have a kernel, sorted.
std::vector<std::string> SupportedOps();

// The op types of the case that are not supported.
std::vector<std::string> MissingOps(const CaseBytes& c, const std::set<std::string>& supported);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_CASE_OPS_H_
