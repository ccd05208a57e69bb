// Writes C++ functions for operations: one typed function for every op of a registry.
//
//   WB_ASSIGN_OR_RETURN(auto files, GenerateOpWrappers(OpRegistry::Global(), families));
//   for (const GeneratedFile& file : files) Write(file.path, file.text);
//
// Ops are grouped into families (math_ops, array_ops…) as TensorFlow's Python modules group them;
// `families` has a line "op<tab>family" for each. An op without a line is in "other_ops". A family
// with more ops than a file may hold goes on in "math_ops_2"…
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a line of `families` without a tab.
#ifndef WARPBEAM_FRONTEND_GEN_OP_WRAPPERS_H_
#define WARPBEAM_FRONTEND_GEN_OP_WRAPPERS_H_

#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/status.h"

namespace warpbeam {
namespace frontend {

struct GeneratedFile {
  std::string path;  // from the top of the repository
  std::string text;
};

StatusOr<std::vector<GeneratedFile>> GenerateOpWrappers(const OpRegistry& ops,
                                                        const std::string& families);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GEN_OP_WRAPPERS_H_
