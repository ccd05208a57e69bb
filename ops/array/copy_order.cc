#include "ops/array/copy_order.h"

#include <cstdlib>
#include <utility>

namespace warpbeam {

bool OrderCopy(Span<const CopyDim> dims, CopyDims* out) {
  for (const CopyDim& d : dims) {
    if (d.extent == 0) return false;
    if (d.extent != 1) out->push_back(d);
  }
  // By insertion: the dimensions are few, and std::stable_sort allocates.
  for (size_t i = 1; i < out->size(); ++i) {
    for (size_t j = i; j > 0 && std::abs((*out)[j - 1].to) < std::abs((*out)[j].to); --j) {
      std::swap((*out)[j - 1], (*out)[j]);
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < out->size(); ++i) {
    const CopyDim d = (*out)[i];
    CopyDim& last = (*out)[kept == 0 ? 0 : kept - 1];
    if (kept > 0 && last.from == d.from * d.extent && last.to == d.to * d.extent) {
      last = {last.extent * d.extent, d.from, d.to};
    } else {
      (*out)[kept++] = d;
    }
  }
  out->resize(kept);
  if (out->empty()) out->push_back({1, 1, 1});
  return true;
}

}  // namespace warpbeam
