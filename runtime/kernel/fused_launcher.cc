#include "runtime/kernel/fused_launcher.h"

namespace warpbeam {
namespace {

// Initialised at compile time: the registration may run before anything here.
const FusedLauncher* registered_launcher = nullptr;

}  // namespace

void RegisterFusedLauncher(const FusedLauncher* launcher) { registered_launcher = launcher; }

const FusedLauncher* RegisteredFusedLauncher() { return registered_launcher; }

}  // namespace warpbeam
