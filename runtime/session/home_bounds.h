// MoveBoundsHome: what a step is fed and what it is asked for, all of it in the caller's task.
//
// A part that another process runs then has neither feeds nor fetches of its own: they travel as
// any other tensor between tasks does. What is fed to another task becomes a placeholder of this
// one; what is fetched from another task is handed on here, once it is no reference any more.
//
//   WB_RETURN_IF_ERROR(MoveBoundsHome(sites, &part));      // before placement/cut.h cuts it
//
// The home is the first task of `sites`. Feeds and fetches keep their order. Thread safety: one
// thread. Errors: those of adding nodes.
#ifndef WARPBEAM_RUNTIME_SESSION_HOME_BOUNDS_H_
#define WARPBEAM_RUNTIME_SESSION_HOME_BOUNDS_H_

#include "graph/passes/pass_pipeline.h"
#include "placement/cut.h"

namespace warpbeam {

Status MoveBoundsHome(const SiteList& sites, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_HOME_BOUNDS_H_
