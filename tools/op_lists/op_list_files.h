// The files of the repository that list ops and are written, not edited: the C++ functions
// (frontend/ops), the table of ops (docs/ops.md), what differs from TensorFlow (tests/golden) and
// what runs of the conformance cases (tests/conformance). `bazel run //tools/op_lists` writes them.
//
//   WB_ASSIGN_OR_RETURN(std::vector<ListFile> files, OpListFiles());
//   WB_ASSIGN_OR_RETURN(std::vector<std::string> changed, WriteOpLists(files));
//
// All paths are relative to the top of the repository, which is the working directory.
//
// Ownership: values. Thread safety: one thread at a time, and FailingCasesFile while the process
// has one thread: it forks. Errors: those of reading and writing files, and of op registration.
#ifndef WARPBEAM_TOOLS_OP_LISTS_OP_LIST_FILES_H_
#define WARPBEAM_TOOLS_OP_LISTS_OP_LIST_FILES_H_

#include <string>
#include <vector>

#include "frontend/gen/op_wrappers.h"
#include "graph/types/errors.h"

namespace warpbeam {

using ListFile = frontend::GeneratedFile;

// The files that follow from the registries and from the files that people edit (families,
// deviations, TensorFlow's facts).
StatusOr<std::vector<ListFile>> OpListFiles();

// failing.txt, after running all public conformance cases: a minute or two.
StatusOr<ListFile> FailingCasesFile();

// Writes the files that differ, and removes the generated sources of frontend/ops that are not
// among `files`. Returns the paths that were written or removed.
StatusOr<std::vector<std::string>> WriteOpLists(const std::vector<ListFile>& files);

}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_OP_LISTS_OP_LIST_FILES_H_
