// Compares what functions of the frontend compute with what TensorFlow's functions of the same name
// give: values, gradients and nodes (AREA.tsv, which write_values.py writes from AREA_cases.py).
//
//   ExpectTensorFlowsValues("math", {
//       {"add", [](S s, X x) { return Add(s, x[0], x[1]); }},
//       {"reduce_mean", [](S s, X x) { return ReduceMean(s, x[0]); }, 1e-6},
//   });
//
// A row has the name of its case. Its function is given the case's placeholders and returns what it
// builds: one output or a list of them. Nodes are compared where the file has them.
//
// Ownership: none. Thread safety: reads the file anew in every call. Errors: failures of the test:
// of the scope, of running, a number that differs by more than the row's tolerance, a case without
// a row and a row without a case.
#ifndef WARPBEAM_FRONTEND_VALUES_EXPECTED_VALUES_H_
#define WARPBEAM_FRONTEND_VALUES_EXPECTED_VALUES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

using S = const Scope&;
using X = const std::vector<Output>&;

// What a row builds.
class Built {
 public:
  Built(const Output& output) : outputs_{output} {}                     // NOLINT
  Built(std::vector<Output> outputs) : outputs_(std::move(outputs)) {}  // NOLINT
  Built(std::initializer_list<Output> outputs) : outputs_(outputs) {}   // NOLINT
  const std::vector<Output>& outputs() const { return outputs_; }

 private:
  std::vector<Output> outputs_;
};

struct ValueRow {
  std::string name;
  std::function<Built(const Scope& scope, const std::vector<Output>& x)> build;
  double tolerance = 1e-5;  // of 1 + the expected number
};

void ExpectTensorFlowsValues(const std::string& area, const std::vector<ValueRow>& rows);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VALUES_EXPECTED_VALUES_H_
