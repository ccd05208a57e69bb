// What a search says of the placement that it found: why each group is where it is, beside the best
// other place for it, and which moves would change the step most.
//
//   SearchExplanation explanation = SearchExplanation::Of(machine, searched);
//   console.out << explanation.ToText();
//
// In JSON: "moves" (name, nodes, from, to, step_time_s), the ten that would hurt or help most, and
// "groups" (name, nodes, device, rule, seconds, best_other, best_other_step_time_s), those that
// have a choice and take time. Thread safety: a value. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_SEARCH_REPORT_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_SEARCH_REPORT_H_

#include <string>
#include <vector>

#include "placement/search/searched_step.h"

namespace warpbeam {
namespace cli {

struct SearchExplanation {
  struct Group {
    std::string name;  // of the node that takes longest
    int nodes = 0;
    double seconds = 0;
    std::string device, best_device, worst_device;
    double best_step_s = 0, worst_step_s = 0;
  };
  double step_s = 0;
  std::vector<Group> groups;  // by time, longest first

  static SearchExplanation Of(const Machine& machine, const SearchedStep& searched);
  std::string ToText() const;
  // The keys "moves" and "groups" with their values, for an object of somebody else's.
  std::string ToJsonKeys() const;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_SEARCH_REPORT_H_
