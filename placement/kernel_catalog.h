// KernelCatalog: what placement must know about kernels, without knowing any kernel.
//
// The runtime's KernelRegistry implements it from the declarations of the ops linked in; tests make
// catalogs of their own. TypeConstraints name, per type attribute, the dtypes that a declaration
// accepts (an attribute that is not named may be anything).
//
// Thread safety: const access from many threads.
#ifndef WARPBEAM_PLACEMENT_KERNEL_CATALOG_H_
#define WARPBEAM_PLACEMENT_KERNEL_CATALOG_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_schema.h"
#include "placement/device_name.h"

namespace warpbeam {

// E.g. {{"T", kFloatingTypes}, {"Tidx", kIndexTypes}}.
using TypeConstraints = std::vector<std::pair<std::string, TypeSet>>;

// Whether `attrs` satisfy all of `constraints`; a list(type) attribute must satisfy it throughout.
bool Satisfies(const TypeConstraints& constraints, const AttrMap& attrs);

// For each input and output tensor of a node (lists unrolled): is it in host memory?
struct MemoryPlaces {
  std::vector<bool> input_on_host;
  std::vector<bool> output_on_host;
};

class KernelCatalog {
 public:
  virtual ~KernelCatalog() = default;
  // Whether a node of this op with these attributes has a kernel on the device type.
  virtual bool Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const = 0;
  // Whether there is any kernel of the op at all.
  virtual bool KnowsOp(absl::string_view op) const = 0;
  // One line per declaration, for messages: "CPU: T in {float, double}".
  virtual std::vector<std::string> Describe(absl::string_view op) const = 0;
  // Where the tensors of such a node live on the device type.
  virtual MemoryPlaces Memory(const OpSchema& schema, const AttrMap& attrs,
                              DeviceType type) const = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_KERNEL_CATALOG_H_
