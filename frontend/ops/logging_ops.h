// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AssertAttrs : public OpAttrs {
 public:
  AssertAttrs& summarize(int64_t value) {
    Set("summarize", value);
    return *this;
  }
};
// (condition: bool, data: T) -> ()
Operation Assert(ScopeRef scope, const Input& condition, const InputList& data,
    const AssertAttrs& attrs = AssertAttrs());

class PrintAttrs : public OpAttrs {
 public:
  PrintAttrs& message(const std::string& value) {
    Set("message", value);
    return *this;
  }
  PrintAttrs& first_n(int64_t value) {
    Set("first_n", value);
    return *this;
  }
  PrintAttrs& summarize(int64_t value) {
    Set("summarize", value);
    return *this;
  }
};
// (input: T, data: U) -> (output: T)
Output Print(ScopeRef scope, const Input& input, const InputList& data,
    const PrintAttrs& attrs = PrintAttrs());

class PrintV2Attrs : public OpAttrs {
 public:
  PrintV2Attrs& output_stream(const std::string& value) {
    Set("output_stream", value);
    return *this;
  }
  PrintV2Attrs& end(const std::string& value) {
    Set("end", value);
    return *this;
  }
};
// (input: string) -> ()
Operation PrintV2(ScopeRef scope, const Input& input, const PrintV2Attrs& attrs = PrintV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_
