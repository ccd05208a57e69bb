// MultiDeviceIterator: one dataset for several devices, each of which gets its own elements, in its
// own memory, before it asks (tf.data's MultiDeviceIterator).
//
//   data::MultiDeviceIterator iterator(dataset, {"/gpu:0", "/gpu:1"});
//   train::Replicas replicas(root, {"/gpu:0", "/gpu:1"}, [&](const Scope& s, int i) {
//     const data::Element batch = iterator.GetNext(i);
//     return Loss(s, Inference(s, batch[0]), batch[1]);
//   });
//   session.Run({iterator.initializer()});
//
// Element k of the dataset goes to device k modulo their number, so each step should take one for
// each device: a device that takes none stops the others once its buffers are full. The end comes
// for each device after its last element.
//
// Ownership: a handle; the graph owns the nodes, the session threads and buffers. Thread safety:
// that of the Scope. Errors: no devices, negative sizes, a device that there is not; kept in the
// scope. Running GetNext before the initializer is FAILED_PRECONDITION, after the last element
// OUT_OF_RANGE.
#ifndef WARPBEAM_FRONTEND_DATA_MULTI_DEVICE_ITERATOR_H_
#define WARPBEAM_FRONTEND_DATA_MULTI_DEVICE_ITERATOR_H_

#include <string>
#include <vector>

#include "frontend/data/dataset.h"

namespace warpbeam {
namespace frontend {
namespace data {

struct MultiDeviceIteratorOptions {
  // Elements that are read ahead for each device in host memory.
  MultiDeviceIteratorOptions& max_buffer_size(int64_t value) {
    host_elements = value;
    return *this;
  }
  // Elements that are read ahead in each device's memory, as for PrefetchToDevice.
  MultiDeviceIteratorOptions& prefetch_buffer_size(int64_t value) {
    device_elements = value;
    return *this;
  }

  int64_t host_elements = 1;
  int64_t device_elements = 1;
};

class MultiDeviceIterator {
 public:
  MultiDeviceIterator(const Dataset& dataset, std::vector<std::string> devices,
                      const MultiDeviceIteratorOptions& options = MultiDeviceIteratorOptions(),
                      SourceLocation where = SourceLocation::Here());

  int size() const { return static_cast<int>(devices_.size()); }
  // Begins at the first element; to be run before the first, and again for another pass.
  Operation initializer() const { return initializer_; }
  // The next element of the device with this index, on that device.
  Element GetNext(int device, SourceLocation where = SourceLocation::Here()) const;
  // One for each device.
  HandleList<Element> GetNext(SourceLocation where = SourceLocation::Here()) const;

 private:
  Scope scope_;
  std::vector<std::string> devices_;
  MultiDeviceIteratorOptions options_;
  ElementSpec spec_;
  Operation initializer_;
  Output string_handle_;
};

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_MULTI_DEVICE_ITERATOR_H_
