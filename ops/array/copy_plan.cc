#include "ops/array/copy_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ops/array/copy_order.h"
#include "ops/array/gpu/moved_element.h"

namespace warpbeam {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 30;
// Shorter dimensions leave too much of a tile empty.
constexpr int64_t kShortestAcross = 16;

// The widest element that divides addresses, strides and rows; `dims` count bytes.
int WidthOf(const void* to, const void* from, const CopyDims& dims) {
  const CopyDim& row = dims.back();
  if (row.from != 1 || row.to != 1) return 1;
  uint64_t all = AddressBits(to, from) | static_cast<uint64_t>(row.extent);
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    all |=
        static_cast<uint64_t>(std::abs(dims[i].from)) | static_cast<uint64_t>(std::abs(dims[i].to));
  }
  return WidestElement(all);
}

int AcrossOf(const CopyDims& dims) {
  const CopyDim& last = dims.back();
  if (last.to != 1 || std::abs(last.from) <= 1 || last.extent < kShortestAcross) return -1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    if (dims[i].from == 1 && dims[i].extent >= kShortestAcross) return static_cast<int>(i);
  }
  return -1;
}

// Halves the dimension that reaches farthest until 32 bits hold all counts and offsets.
void AddParts(CopyPlan plan, CopyPlans* plans) {
  int64_t from = 0, to = 0;
  size_t farthest = 0;
  int64_t reach = 0;
  for (size_t i = 0; i < plan.dims.size(); ++i) {
    const CopyDim& d = plan.dims[i];
    const int64_t by_from = std::abs(d.from) * (d.extent - 1);
    const int64_t by_to = std::abs(d.to) * (d.extent - 1);
    from += by_from;
    to += by_to;
    if (std::max(by_from, by_to) > reach) {
      reach = std::max(by_from, by_to);
      farthest = i;
    }
  }
  if (from < kMostElements && to < kMostElements) {
    plan.across = AcrossOf(plan.dims);
    plans->push_back(std::move(plan));
    return;
  }
  CopyPlan rest = plan;
  CopyDim& d = plan.dims[farthest];
  const int64_t half = d.extent / 2;
  rest.dims[farthest].extent = d.extent - half;
  rest.from = static_cast<const char*>(rest.from) + half * d.from * plan.width;
  rest.to = static_cast<char*>(rest.to) + half * d.to * plan.width;
  d.extent = half;
  AddParts(std::move(plan), plans);
  AddParts(std::move(rest), plans);
}

}  // namespace

int64_t CopyPlan::count() const {
  int64_t n = 1;
  for (const CopyDim& d : dims) n *= d.extent;
  return n;
}

bool CopyPlan::HasPacksOf(size_t bytes) const {
  uint64_t elements = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const CopyDim& d = dims[i];
    const bool is_row = i + 1 == dims.size() || static_cast<int>(i) == across;
    if (is_row) elements |= static_cast<uint64_t>(d.extent);
    if (d.from != 1) elements |= static_cast<uint64_t>(std::abs(d.from));
    if (d.to != 1) elements |= static_cast<uint64_t>(std::abs(d.to));
  }
  const uint64_t all = AddressBits(to, from) | elements * static_cast<uint64_t>(width);
  return all % bytes == 0;
}

void PlanCopy(int64_t size, void* to, const void* from, Span<const CopyDim> dims,
              CopyPlans* plans) {
  CopyDims bytes;
  for (const CopyDim& d : dims) bytes.push_back({d.extent, d.from * size, d.to * size});
  bytes.push_back({size, 1, 1});
  CopyPlan plan{to, from, 1, {}};
  if (!OrderCopy(bytes, &plan.dims)) return;
  plan.width = WidthOf(to, from, plan.dims);
  for (CopyDim& d : plan.dims) d = {d.extent, d.from / plan.width, d.to / plan.width};
  CopyDim& row = plan.dims.back();
  if (plan.width > 1) {
    row = {row.extent / plan.width, 1, 1};
    if (row.extent == 1 && plan.dims.size() > 1) plan.dims.pop_back();
  }
  AddParts(std::move(plan), plans);
}

}  // namespace warpbeam
