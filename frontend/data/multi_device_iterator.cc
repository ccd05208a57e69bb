#include "frontend/data/multi_device_iterator.h"

#include <utility>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/data/dataset_function.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace data {

MultiDeviceIterator::MultiDeviceIterator(const Dataset& dataset, std::vector<std::string> devices,
                                         const MultiDeviceIteratorOptions& options,
                                         SourceLocation where)
    : scope_(dataset.scope()),
      devices_(std::move(devices)),
      options_(options),
      spec_(dataset.spec()) {
  const Scope scope = scope_.At(where);
  if (devices_.empty()) scope.Fail(InvalidArgument("MultiDeviceIterator: no devices are named"));
  if (!dataset.target().device.empty()) {
    scope.Fail(
        InvalidArgument("MultiDeviceIterator brings elements to its devices by itself; leave "
                        "PrefetchToDevice out"));
  }
  if (options.host_elements < 0 ||
      (options.device_elements < 0 && options.device_elements != kAutotune)) {
    scope.Fail(InvalidArgument("MultiDeviceIterator: buffer sizes must not be negative, got ",
                               options.host_elements, " and ", options.device_elements));
  }
  if (!scope.ok()) return;
  const Scope beside = scope.ColocateWith(dataset.variant());
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("devices", devices_).Set("shared_name", "").Set("container", "");
  const Output resource = BuildOutput(beside, "MultiDeviceIterator", {}, attrs);
  const Scope with_it = scope.ColocateWith(resource);
  const Output size =
      Constant(with_it.Named("max_buffer_size"), options.host_elements, DType::kInt64);
  const Output incarnation =
      BuildOutput(with_it, "MultiDeviceIteratorInit", {dataset.variant(), resource, size});
  initializer_ = incarnation.op();
  string_handle_ = BuildOutput(with_it, "MultiDeviceIteratorToStringHandle", {resource});
}

Element MultiDeviceIterator::GetNext(int device, SourceLocation where) const {
  const Scope at = scope_.At(where);
  if (device < 0 || device >= size()) {
    at.Fail(InvalidArgument("MultiDeviceIterator::GetNext: there is no device ", device, " of ",
                            size()));
  }
  if (!string_handle_.valid() || !at.ok()) return Element(spec_.types.size());
  const Scope scope = at.NoDevice().Device(devices_[static_cast<size_t>(device)]);
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("shard", static_cast<int64_t>(device)).Set("buffer_size", options_.device_elements);
  return BuildOutputs(scope.Named("MultiDeviceIteratorGetNext"),
                      "_MultiDeviceIteratorGetNextOnDevice", {string_handle_}, attrs,
                      static_cast<int>(spec_.types.size()));
}

HandleList<Element> MultiDeviceIterator::GetNext(SourceLocation where) const {
  std::vector<Element> elements;
  for (int i = 0; i < size(); ++i) elements.push_back(GetNext(i, where));
  return elements;
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
