#include "frontend/monitored/session_run_hook.h"

namespace warpbeam {
namespace frontend {
namespace train {

StatusOr<RunArgs> SessionRunHook::BeforeRun(RunContext&) { return RunArgs(); }

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
