// Conformance cases from files: single ones (.case), packs (.cases.gz) and folders of both.
//
//   WB_ASSIGN_OR_RETURN(std::vector<CaseBytes> cases, LoadCases({"tests/conformance/cases"}));
//
// Thread safety: pure. Errors: NOT_FOUND for a path that is not there, DATA_LOSS for a file that is
// no case or pack, ALREADY_EXISTS for two cases of one name.
#ifndef WARPBEAM_TESTS_CONFORMANCE_CASE_FILE_H_
#define WARPBEAM_TESTS_CONFORMANCE_CASE_FILE_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

// A serialized conformance.Case and its name.
struct CaseBytes {
  std::string name;
  std::string wire_form;
};

// All cases of the files and folders (searched to any depth), sorted by name.
StatusOr<std::vector<CaseBytes>> LoadCases(const std::vector<std::string>& paths);
// Writes cases as one pack.
Status WritePack(const std::vector<CaseBytes>& cases, const std::string& path);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_CASE_FILE_H_
