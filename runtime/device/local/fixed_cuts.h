// FixedCuts: a CPU device whose kernels cut their work in the same places however many threads it
// has.
//
// A kernel's result may depend on where its work is cut: a sum over a batch is added up part by
// part, a product's strips go through other code at their edges. Devices cut a loop by the threads
// that are idle at that moment. This one wraps such a device: `width` is a constant, and a loop's
// pieces follow from its length and price alone. The threads of the wrapped device take the pieces,
// as many at a time as there are threads.
//
//   std::unique_ptr<Device> fixed = NewFixedCuts(cpu);
//   fixed->ParallelFor(n, ns, fn);       // fn(begin, end) with the same borders on any machine
//
// Ownership: `device` outlives it. Thread safety and errors: as the device's.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_FIXED_CUTS_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_FIXED_CUTS_H_

#include <memory>

#include "runtime/device/device.h"

namespace warpbeam {

// What `width` is: into how many parts kernels cut products and convolutions.
inline constexpr int kFixedWidth = 4;

std::unique_ptr<Device> NewFixedCuts(Device* device);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_FIXED_CUTS_H_
