// OrderCollectives: the pass that fixes one order for the collectives of a step.
//
// A device that runs what is launched on it one after the other waits in a collective until the
// other members have launched theirs; two devices that launch two collectives in different orders
// would wait for each other for ever. So each member on such a device runs after that device's
// member of the collective before, in the order of CollectiveMeetings::Order, which starts a
// collective the earlier, the earlier its members can be ready. Members of loops are ordered within
// their iteration.
//
//   WB_RETURN_IF_ERROR(OrderCollectives(&part, [&](Site site) { return !IsCpu(site); }));
//
// Thread safety: a pure function of the part. Errors: those of CollectiveMeetings::Order.
#ifndef WARPBEAM_RUNTIME_EFFECTS_ORDER_COLLECTIVES_H_
#define WARPBEAM_RUNTIME_EFFECTS_ORDER_COLLECTIVES_H_

#include "absl/functional/function_ref.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

// `in_launch_order`: whether what is launched at the site runs in the order of launching.
Status OrderCollectives(GraphPart* part, absl::FunctionRef<bool(Site)> in_launch_order);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_ORDER_COLLECTIVES_H_
