// Freezing: a graph without variables, whose values have become constants
// (tf.graph_util.convert_variables_to_constants).
//
//   WB_ASSIGN_OR_RETURN(const std::string graph_def,
//                       ConvertVariablesToConstants(session, scope, {"logits", "classes"}));
//
// Kept are the nodes that the named operations need, and no others; what reads a variable reads the
// constant of its name. The bytes are a GraphDef that ImportGraphDef and TensorFlow take.
//
// Ownership: none. Thread safety: that of the Scope; no step may change variables meanwhile.
// Errors: NOT_FOUND for names that no operation has, with the one that may have been meant;
// FAILED_PRECONDITION for variables without a value; UNIMPLEMENTED where something needed changes a
// variable.
#ifndef WARPBEAM_FRONTEND_SAVED_MODEL_FREEZE_H_
#define WARPBEAM_FRONTEND_SAVED_MODEL_FREEZE_H_

#include <string>
#include <vector>

#include "frontend/client_session.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {

StatusOr<std::string> ConvertVariablesToConstants(ClientSession& session, const Scope& scope,
                                                  const std::vector<std::string>& output_names);
// The nodes that the named operations need, as a GraphDef (tf.graph_util.extract_sub_graph).
StatusOr<std::string> ExtractSubGraph(const Scope& scope,
                                      const std::vector<std::string>& output_names);

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVED_MODEL_FREEZE_H_
