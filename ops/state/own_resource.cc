#include "ops/state/own_resource.h"

#include "absl/strings/str_cat.h"

namespace warpbeam {

std::string PrivateResourceName(const std::string& node_name) {
  static std::atomic<int64_t> count{0};
  return absl::StrCat("_", count.fetch_add(1, std::memory_order_relaxed), "_", node_name);
}

OwnResource::~OwnResource() {
  ResourceStore* const store = store_.load(std::memory_order_relaxed);
  // A container that was cleared has dropped it.
  if (store != nullptr) store->Delete(*handle_.data<ResourceHandle>()).IgnoreError();
}

}  // namespace warpbeam
