// OwnResource: what a node without a shared_name makes belongs to the node, and goes with its
// kernel, at the session's end.
//
//   name_ = PrivateResourceName(init.node_name);     // nobody else can write it
//   …
//   own_.IsIn(ctx.resources());                      // own_: a member, OwnResource own_{&handle_}
//
// Ownership: the store owns the resource and outlives the kernel. Thread safety: any thread.
// Errors: none.
#ifndef WARPBEAM_OPS_STATE_OWN_RESOURCE_H_
#define WARPBEAM_OPS_STATE_OWN_RESOURCE_H_

#include <atomic>
#include <string>

#include "runtime/state/resource_store.h"

namespace warpbeam {

// "_3_fifo_queue": different for every kernel of the process.
std::string PrivateResourceName(const std::string& node_name);

// Drops a resource that belongs to a node, with the kernel that has made it.
class OwnResource {
 public:
  explicit OwnResource(const Tensor* handle) : handle_(*handle) {}
  ~OwnResource();
  OwnResource(const OwnResource&) = delete;
  OwnResource& operator=(const OwnResource&) = delete;
  // It is there.
  void IsIn(ResourceStore* store) { store_.store(store, std::memory_order_relaxed); }

 private:
  const Tensor& handle_;
  std::atomic<ResourceStore*> store_{nullptr};  // null: it was never made
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_OWN_RESOURCE_H_
