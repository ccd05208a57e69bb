// CostProfile: what nodes have cost in earlier steps, for grouping them into tasks.
//
// Nothing is measured while a plan is compiled; measured costs come from a profile that somebody
// names, and the plan's dump has its hash. The same graph and profile always give the same plan.
//
//   WB_RETURN_IF_ERROR(WriteFile(path, CostProfile::Of(steps).ToText()));  // warpbeam profile
//   WB_ASSIGN_OR_RETURN(CostProfile costs, CostProfile::Read(path));       // --cost_profile
//   if (std::optional<int64_t> ns = costs.Find(node)) …
//
// The file is a text: a line "warpbeam costs 1", a line "NANOSECONDS OP NODE" for each node, and a
// line "end COUNT". What stands behind that line is not looked at: `warpbeam profile --save_costs`
// writes what ops cost there, by their shapes (placement/cost/op_costs.h). A node whose op is
// another one than in the profile has no entry there: the graph, or the passes, have changed.
//
// Thread safety: const use from many threads. Errors: NOT_FOUND for a file that cannot be read,
// INVALID_ARGUMENT with file and line for one that is not such a text.
#ifndef WARPBEAM_RUNTIME_COMPILE_COST_PROFILE_H_
#define WARPBEAM_RUNTIME_COMPILE_COST_PROFILE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

class CostProfile {
 public:
  // The average time of each node's kernel; copies are left out.
  static CostProfile Of(const std::vector<StepStats>& steps);
  static StatusOr<CostProfile> Read(const std::string& path);
  // `name` is the text's, for messages.
  static StatusOr<CostProfile> Parse(absl::string_view text, const std::string& name);

  std::optional<int64_t> Find(const Node& node) const;
  size_t size() const { return costs_.size(); }
  std::string ToText() const;
  // "FILE, 12 nodes, hash 0123456789abcdef", of the text.
  std::string ToString() const;

 private:
  struct Cost {
    std::string op;
    int64_t ns = 0;
  };
  std::string name_;
  std::map<std::string, Cost> costs_;  // by node
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_COST_PROFILE_H_
