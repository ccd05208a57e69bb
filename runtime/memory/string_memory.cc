#include "runtime/memory/string_memory.h"

#include <string>

#include "graph/types/object_memory.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

Status NoRoom(const Shape& shape, double bytes) {
  return ResourceExhausted("out of memory in 'host' for a tensor of string", shape.ToString(), " (",
                           static_cast<int64_t>(bytes), " bytes with what its strings hold)");
}

bool Fits(double bytes) {
  const PoolAllocator& pool = PoolAllocator::Process();
  const int64_t limit = pool.limit();
  return limit <= 0 ||
         static_cast<double>(pool.stats().bytes_in_use) + bytes <= static_cast<double>(limit);
}

}  // namespace

Status StringMemory::CheckRoom(const Shape& shape, double contents) {
  const double bytes = contents + static_cast<double>(shape.num_elements()) * sizeof(std::string);
  return Fits(bytes) ? OkStatus() : NoRoom(shape, bytes);
}

Status StringMemory::CheckRoom(absl::string_view what, size_t bytes) {
  if (Fits(static_cast<double>(bytes))) return OkStatus();
  return ResourceExhausted("out of memory in 'host' for ", what, " (", bytes, " bytes)");
}

Status StringMemory::CheckRoomForCopies(const Tensor& from, const Shape& shape) {
  if (from.dtype() != DType::kString || from.num_elements() == 0) return OkStatus();
  const double times =
      static_cast<double>(shape.num_elements()) / static_cast<double>(from.num_elements());
  return CheckRoom(shape, times * static_cast<double>(ObjectMemory::ContentsOf(from)));
}

Status StringMemory::Count(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return OkStatus();
  const int64_t before = ObjectMemory::bytes_in_use();
  const int64_t contents = ObjectMemory::ContentsOf(tensor);
  // Tensors that were counted before change nothing.
  if (ObjectMemory::bytes_in_use() <= before) return OkStatus();
  const PoolAllocator& pool = PoolAllocator::Process();
  const int64_t limit = pool.limit();
  if (limit <= 0 || pool.stats().bytes_in_use <= limit) return OkStatus();
  return NoRoom(tensor.shape(),
                static_cast<double>(tensor.bytes()) + static_cast<double>(contents));
}

}  // namespace warpbeam
