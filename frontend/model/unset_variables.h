// UnsetVariables: what a model's signatures read though loading the model does not set it.
//
//   for (const std::string& line : UnsetVariables(meta)) …
//       // "the signature 'predict' reads the variable 'w', which nothing restores or initialises"
//
// Set is what the model's savers and initialising operations reach, and what a signature's own
// nodes assign; where a function might assign a variable, it is taken to do so. Call
// AddObjectRestore (frontend/model/object_restore.h) first.
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_FRONTEND_MODEL_UNSET_VARIABLES_H_
#define WARPBEAM_FRONTEND_MODEL_UNSET_VARIABLES_H_

#include <string>
#include <vector>

#include "graph/io/meta_graph/meta_graph.h"

namespace warpbeam {
namespace frontend {

std::vector<std::string> UnsetVariables(const MetaGraph& meta);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MODEL_UNSET_VARIABLES_H_
