// What a running graph shows (tf.Print, tf.print, tf.timestamp, tf.add_check_numerics_ops), and
// what is known while it is built (tf.get_static_value).
//
//   Output shown = Print(scope, loss, {loss, step}, PrintOptions().message("loss and step: "));
//   Operation line = PrintV2(scope, {"step ", step, " loss ", loss});
//   Operation checks = AddCheckNumericsOps(scope);      // session.Run({train, checks})
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_CHECK_PRINTING_H_
#define WARPBEAM_FRONTEND_CHECK_PRINTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct PrintOptions {
  PrintOptions& message(std::string value) { return text = std::move(value), *this; }
  // Only the first n times; -1: always.
  PrintOptions& first_n(int64_t value) { return times = value, *this; }
  // So many elements of each tensor.
  PrintOptions& summarize(int64_t value) { return elements = value, *this; }

  std::string text;
  int64_t times = -1;
  int64_t elements = 3;
};
// x, which writes `data` to the standard error when it is computed.
Output Print(ScopeRef scope, const Input& x, const std::vector<Input>& data,
             const PrintOptions& options = PrintOptions());

struct PrintV2Options {
  // "stderr", "stdout", "log(info)", "log(warning)", "log(error)" or "file://name".
  PrintV2Options& output_stream(std::string value) { return stream = std::move(value), *this; }
  PrintV2Options& end(std::string value) { return ending = std::move(value), *this; }
  PrintV2Options& sep(std::string value) { return separator = std::move(value), *this; }
  PrintV2Options& summarize(int64_t value) { return elements = value, *this; }

  std::string stream = "stderr", ending = "\n", separator = " ";
  int64_t elements = 3;
};
// tf.print: texts and tensors, one line.
Operation PrintV2(ScopeRef scope, const std::vector<Input>& items,
                  const PrintV2Options& options = PrintV2Options());

// Seconds since 1970, when it is computed.
Output Timestamp(ScopeRef scope);

// Checks that every floating point tensor of the graph so far is finite. FAILED_PRECONDITION where
// one of them is in a branch or a loop.
Operation AddCheckNumericsOps(ScopeRef scope);

// The value of a constant; none of what only a step computes.
std::optional<Tensor> GetStaticValue(const Output& x);

// A tensor that stays in the session between steps: the handle of x's value; the value of a handle;
// and that it may go.
Output GetSessionHandle(ScopeRef scope, const Input& x);
Output GetSessionTensor(ScopeRef scope, const Input& handle, DType dtype);
Operation DeleteSessionTensor(ScopeRef scope, const Input& handle);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CHECK_PRINTING_H_
