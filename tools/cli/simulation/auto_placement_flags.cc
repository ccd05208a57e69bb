#include "tools/cli/simulation/auto_placement_flags.h"

#include <utility>

namespace warpbeam {
namespace cli {

void AutoPlacementFlags::AddTo(Arguments& args) {
  args.Bool("auto_placement", &wanted,
            "search for the placement whose step takes the least simulated time");
  args.Int("evaluations", &evaluations,
           "of --auto_placement: how many placements to simulate at most");
  args.Int("placement_seed", &seed, "of --auto_placement: what its choices depend on");
  args.String("machine", &machine,
              "of --auto_placement: a file that describes the devices, as calibrate writes it");
}

StatusOr<AutoPlacement> AutoPlacementFlags::Options(std::vector<std::string> fetches,
                                                    std::vector<std::string> targets) const {
  AutoPlacement options;
  if (!wanted) {
    if (machine.empty()) return options;
    return WrongCall(InvalidArgument("--machine belongs to --auto_placement"));
  }
  if (evaluations < 1) {
    return WrongCall(InvalidArgument("--evaluations must be at least 1, not ", evaluations));
  }
  options.evaluations = evaluations;
  options.seed = static_cast<uint64_t>(seed);
  options.machine = machine;
  options.fetches = std::move(fetches);
  options.targets = std::move(targets);
  return options;
}

}  // namespace cli
}  // namespace warpbeam
