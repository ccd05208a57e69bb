// ProblemReport: everything that is wrong with a graph, as one status.
//
//   ProblemReport report({}, 50);
//   report.Add(InvalidArgument("node 'x' (Neg): …"));
//   return report.ToStatus();          // OK when nothing was added
//
// Ownership: a value. Thread safety: none. The status has the code of the first problem; unknown
// ops are one line each, with the number of nodes.
#ifndef WARPBEAM_GRAPH_BUILD_PROBLEM_REPORT_H_
#define WARPBEAM_GRAPH_BUILD_PROBLEM_REPORT_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "graph/node_spec.h"
#include "graph/types/errors.h"

namespace warpbeam {

class ProblemReport {
 public:
  // At most `max_shown` problems are told in full, the others counted.
  ProblemReport(std::vector<Status> problems, int max_shown);

  void Add(Status problem);
  // `why` says that the op of `spec` is not known; asked only where it will be told.
  void AddUnknownOp(const NodeSpec& spec, absl::FunctionRef<Status()> why);
  Status ToStatus() const;

 private:
  struct UnknownOp {
    size_t problem;  // index into problems_
    int nodes = 0;
    std::string examples;
  };

  const size_t max_shown_;
  std::vector<Status> problems_;
  size_t num_problems_ = 0;
  absl::flat_hash_map<std::string, UnknownOp> unknown_ops_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_BUILD_PROBLEM_REPORT_H_
