// Device functions of scopes: what Scope::Device(function) keeps, and how the functions are asked.
//
// Internal to the frontend; BuildOp asks for each node, and whatever adds nodes in another way asks
// for those it added.
//
//   StatusOr<std::string> device = MergeDevices("/job:worker/gpu:0", "/gpu:1");
//   *device == "/job:worker/device:GPU:1";                    // the inner one's parts win
//   Status asked = AskDeviceFunctions(scope, node);
//
// Ownership: scopes share the frames. Thread safety: that of the Scope. Errors: INVALID_ARGUMENT
// for what is no device, by a function too; those of the functions.
#ifndef WARPBEAM_FRONTEND_DEVICE_DEVICE_FUNCTIONS_H_
#define WARPBEAM_FRONTEND_DEVICE_DEVICE_FUNCTIONS_H_

#include <memory>
#include <string>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct DeviceFunctionFrame {
  DeviceFunction function;
  std::string outside;  // what Device() said around it, up to the next function
  std::shared_ptr<const DeviceFunctionFrame> outer;
};

// `outer` with the parts that `inner` has.
StatusOr<std::string> MergeDevices(const std::string& outer, const std::string& inner);

// Adds to the device of the node what the functions of the scope say, the innermost first. They are
// not asked for a node that takes a resource, which is on the resource's task.
Status AskDeviceFunctions(const Scope& scope, int32_t node);
// The same for all nodes from `first` on that stand beside no other node.
Status AskDeviceFunctionsForNew(const Scope& scope, int32_t first);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DEVICE_DEVICE_FUNCTIONS_H_
