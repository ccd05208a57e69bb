// Whether a dataset op may reach files in this session, for ops that need to only where an input
// says so: those that always do say it in their schema (OpSchemaBuilder::Needs).
//
//   WB_RETURN_IF_ERROR(CheckAllowed(ctx.functions(), Capability::kWriteFile));
//
// Thread safety: any thread. Errors: PERMISSION_DENIED saying what is needed and how to allow it.
#ifndef WARPBEAM_OPS_DATA_FILE_ACCESS_H_
#define WARPBEAM_OPS_DATA_FILE_ACCESS_H_

#include "graph/op/op_schema.h"
#include "runtime/function/function_runner.h"

namespace warpbeam {

// `functions` are the session's; everything is allowed where there is none.
absl::Status CheckAllowed(const FunctionRunner* functions, Capability capability);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_FILE_ACCESS_H_
