// A picture of a profile: a step as bars over time, a row per thread or stream, with the critical
// path outlined and copies joined to their producers and readers; below, the ops that took longest
// and how each device spent the step.
//
//   std::ofstream("step.svg") << ProfileSvg(profile, metadata.step_stats);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_SVG_H_
#define WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_SVG_H_

#include <string>

#include "tools/cli/profile/profile.h"

namespace warpbeam {
namespace cli {

// `step` is the one whose bars are drawn.
std::string ProfileSvg(const Profile& profile, const StepStats& step);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_PROFILE_PROFILE_SVG_H_
