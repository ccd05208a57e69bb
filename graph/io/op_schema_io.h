// Op schemas and function signatures to OpDef messages and back.
//
//   WB_ASSIGN_OR_RETURN(OpSchema schema, OpSchemaFromProto(function.signature()));
//   WB_RETURN_IF_ERROR(OpSchemaToProto(*registry.Find("MatMul"), &op_def));
//
// Shape functions and capabilities have no wire form. Thread safety: pure. Errors: as
// graph/io/attr_io.h, with argument or attribute named.
#ifndef WARPBEAM_GRAPH_IO_OP_SCHEMA_IO_H_
#define WARPBEAM_GRAPH_IO_OP_SCHEMA_IO_H_

#include "graph/io/attr_io.h"
#include "graph/op/op_schema.h"

namespace tensorflow {
class OpDef;
}  // namespace tensorflow

namespace warpbeam {

// `budget`, unless null, is for the default values of attributes.
StatusOr<OpSchema> OpSchemaFromProto(const tensorflow::OpDef& proto, ValueBudget* budget = nullptr);
Status OpSchemaToProto(const OpSchema& schema, tensorflow::OpDef* proto);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_OP_SCHEMA_IO_H_
