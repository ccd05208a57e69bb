// DeviceElements: elements of a pipeline, read ahead into the memory of a device.
//
// A thread asks the source for the next element, copies it on a stream of its own and waits for the
// copy; who takes an element finds it on the device. Steps that compute meanwhile do not wait for
// copies. Strings, resources and variants stay in host memory, as they do for every kernel.
//
//   WB_ASSIGN_OR_RETURN(auto on_device, DeviceElements::Open(dataset, source, ctx.device(), 2));
//   on_device->GetNextAsync(ctx.step(), [](Status s, bool end, Element element) { … });
//
// Ownership: keeps dataset and source alive, and elements' device memory; the device outlives it.
// The destructor answers who waits with CANCELLED and waits for its thread, which waits for nothing
// but the source, and that only until it is cancelled. Thread safety: any thread. Errors: those of
// the source, each in place of its element; RESOURCE_EXHAUSTED where the device has no memory left;
// those of the device.
#ifndef WARPBEAM_OPS_DATA_ITERATOR_DEVICE_ELEMENTS_H_
#define WARPBEAM_OPS_DATA_ITERATOR_DEVICE_ELEMENTS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ops/data/element_buffer.h"
#include "runtime/device/device.h"

namespace warpbeam {

class DeviceElements {
 public:
  // Gives the next element in host memory, as Pipeline::GetNextAsync does.
  using Source = std::function<void(StepContext* step, ElementBuffer::Done done)>;

  // Holds up to `buffer_size` elements on the device; Dataset::kAutotune: more while steps wait.
  static StatusOr<std::unique_ptr<DeviceElements>> Open(DatasetRef dataset, Source source,
                                                        Device* device, int64_t buffer_size);

  Device* device() const { return device_; }
  // Calls `done` once, perhaps before it returns.
  void GetNextAsync(StepContext* step, ElementBuffer::Done done) {
    buffer_->GetNextAsync(step, std::move(done));
  }

 private:
  explicit DeviceElements(Device* device) : device_(device) {}

  Device* const device_;
  std::unique_ptr<ElementBuffer> buffer_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ITERATOR_DEVICE_ELEMENTS_H_
