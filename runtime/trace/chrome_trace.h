// A step in Chrome's trace format, which Perfetto and chrome://tracing open.
//
// A process per device; in it a row per thread of a CPU, or one for the compute stream and one for
// the copies of a GPU. Arrows lead from the producer of a tensor to its copies and from them to
// their readers. The critical path (step_stats.h) is marked: `critical` in the arguments, and a
// row "critical path" above the devices.
//
//   std::ofstream("step.json") << ChromeTrace(metadata.step_stats);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_RUNTIME_TRACE_CHROME_TRACE_H_
#define WARPBEAM_RUNTIME_TRACE_CHROME_TRACE_H_

#include <string>

#include "runtime/trace/step_stats.h"

namespace warpbeam {

std::string ChromeTrace(const StepStats& stats);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_TRACE_CHROME_TRACE_H_
