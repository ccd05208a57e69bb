// FallbackFlags: what becomes of a node that is asked onto a device that cannot run it, as every
// command that places nodes is told.
//
//   FallbackFlags fallbacks;
//   fallbacks.AddTo(args);                                  // --soft_placement, --strict_placement
//   options.allow_soft_placement = fallbacks.soft_placement;
//
// Ownership: values; must outlive the Arguments. Thread safety: none. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_FALLBACK_FLAGS_H_
#define WARPBEAM_TOOLS_CLI_FALLBACK_FLAGS_H_

#include "tools/cli/arguments.h"

namespace warpbeam {
namespace cli {

struct FallbackFlags {
  bool soft_placement = true;
  bool strict_placement = false;

  void AddTo(Arguments& args) {
    args.Bool("soft_placement", &soft_placement,
              "a node asked onto a device that cannot run it goes elsewhere");
    args.Bool("strict_placement", &strict_placement, "every such fall-back is an error");
  }
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_FALLBACK_FLAGS_H_
