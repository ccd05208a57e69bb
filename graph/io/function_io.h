// Functions and function libraries to their wire messages and back.
//
//   WB_ASSIGN_OR_RETURN(auto function, FunctionFromProto(proto, &budget, &ignored));
//   Status s = FunctionToProto(*function, &proto);
//
// A function that was read keeps its message's bytes and is written from them, so that nothing is
// lost: argument attributes, resource ids, unknown fields. One built in memory is written from its
// parts.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming function, node and what is wrong.
#ifndef WARPBEAM_GRAPH_IO_FUNCTION_IO_H_
#define WARPBEAM_GRAPH_IO_FUNCTION_IO_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/functions/function_library.h"
#include "graph/io/attr_io.h"
#include "graph/io/ignored_attrs.h"

namespace tensorflow {
class FunctionDef;
class FunctionDefLibrary;
}  // namespace tensorflow

namespace warpbeam {

StatusOr<std::shared_ptr<const Function>> FunctionFromProto(const tensorflow::FunctionDef& proto,
                                                            ValueBudget* budget,
                                                            IgnoredAttrs* ignored);
Status FunctionToProto(const Function& function, tensorflow::FunctionDef* proto);

// Adds every function and gradient of `proto` to `library`; all that is wrong goes to `problems`.
void ReadFunctions(const tensorflow::FunctionDefLibrary& proto, ValueBudget* budget,
                   IgnoredAttrs* ignored, FunctionLibrary* library, std::vector<Status>* problems);
// `proto` gets functions and gradients in the order of their names.
Status WriteFunctions(const FunctionLibrary& library, tensorflow::FunctionDefLibrary* proto);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_FUNCTION_IO_H_
