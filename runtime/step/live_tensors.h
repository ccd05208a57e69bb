// LiveTensors: who holds the memory of a step that ran out of it.
//
// A step that fails for want of memory lets go of nothing until it is cleared, so that its slots
// still say what was alive. The largest tensors in the memory that ran out go into the message, by
// the node that made them; tensors that share a buffer count once, for the first of them.
//
//   if (LiveTensors::IsOutOfMemory(status)) {
//     LiveTensors live(status, resources);            // of the memory that the message names
//     live.Add("'a' (MatMul)", device, value);  …
//     status = live.Explain(status, device);
//   }
//
// Ownership: refers to nothing after Add but buffers' addresses. Thread safety: none; the step has
// ended. Errors: none.
#ifndef WARPBEAM_RUNTIME_STEP_LIVE_TENSORS_H_
#define WARPBEAM_RUNTIME_STEP_LIVE_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class LiveTensors {
 public:
  // Whether a tensor found no memory; other limits have the code RESOURCE_EXHAUSTED, too.
  static bool IsOutOfMemory(const Status& status);

  LiveTensors(const Status& status, ResourceStore* resources);

  // What a slot holds: a tensor, or the value of a variable. `device`: whose memory a tensor of
  // plain data lies in; null: the host's.
  void Add(const Node& node, Device* device, const Slot& slot);
  void Add(const std::string& name, Device* device, const Tensor& value);
  // The status with the limit of the memory, and the largest tensors. `device` is the node's.
  Status Explain(const Status& status, const Device* device) const;

 private:
  struct Entry {
    std::string name;
    std::string type;  // "float[2,3]"
    int64_t bytes;
  };

  std::string memory_;  // as its allocator is called
  ResourceStore* const resources_;
  absl::flat_hash_set<const Buffer*> seen_;
  std::vector<Entry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_LIVE_TENSORS_H_
