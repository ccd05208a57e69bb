// The flags of commands that run steps for a placement that is searched for.
//
//   AutoPlacementFlags flags;
//   flags.AddTo(args);
//   WB_ASSIGN_OR_RETURN(options.auto_placement, flags.Options({"loss"}, {"train"}));
//
// Thread safety: none. Errors: wrong calls for numbers out of range and for flags that belong to
// --auto_placement without it.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_AUTO_PLACEMENT_FLAGS_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_AUTO_PLACEMENT_FLAGS_H_

#include <string>
#include <vector>

#include "runtime/session/auto_placement.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {

struct AutoPlacementFlags {
  bool wanted = false;
  int evaluations = 20'000;
  int seed = 1;
  std::string machine;

  void AddTo(Arguments& args);
  StatusOr<AutoPlacement> Options(std::vector<std::string> fetches,
                                  std::vector<std::string> targets) const;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_AUTO_PLACEMENT_FLAGS_H_
