// KernelSupport: on which device types a node can run, answered from a cache.
//
// A catalog is asked once per op and combination of its type attributes, not once per node. A node
// that calls a function of the graph's library by name can run where all nodes of the body can.
//
//   KernelSupport support(&catalog);
//   DeviceTypes types = support.Of(graph, node);   // kCpuBit | kGpuBit
//
// Ownership: the catalog must outlive it. Thread safety: none. Errors: none; a node without any
// kernel gets an empty set.
#ifndef WARPBEAM_PLACEMENT_KERNEL_SUPPORT_H_
#define WARPBEAM_PLACEMENT_KERNEL_SUPPORT_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "placement/kernel_catalog.h"

namespace warpbeam {

// A set of device types as bits.
using DeviceTypes = uint8_t;
constexpr DeviceTypes BitOf(DeviceType type) {
  return static_cast<DeviceTypes>(1u << static_cast<int>(type));
}
inline constexpr DeviceTypes kEveryDeviceType = (1u << kNumDeviceTypes) - 1;

class KernelSupport {
 public:
  explicit KernelSupport(const KernelCatalog* catalog) : catalog_(catalog) {}
  DeviceTypes Of(const Graph& graph, const Node& node);
  // Functions may have changed since: forgets what was derived from bodies.
  void ForgetFunctions() { functions_.clear(); }
  const KernelCatalog& catalog() const { return *catalog_; }

 private:
  DeviceTypes OfOp(const Graph& graph, const OpSchema& schema, const AttrMap& attrs, int depth);
  DeviceTypes OfFunction(const Graph& graph, const Function& function, const AttrMap& attrs,
                         const std::string& key, int depth);

  const KernelCatalog* catalog_;
  absl::flat_hash_map<std::string, DeviceTypes> ops_;        // by op and type attributes
  absl::flat_hash_map<std::string, DeviceTypes> functions_;  // the same, for library functions
  std::string key_;
};

// "T=float, Tidx=int32": the type attributes by which kernels are chosen; "" when there are none.
std::string TypeAttributes(const OpSchema& schema, const AttrMap& attrs);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_KERNEL_SUPPORT_H_
