#include "runtime/kernel/product/tensor_float_32.h"

#include <atomic>

namespace warpbeam {
namespace {

std::atomic<bool> is_on{true};

}  // namespace

bool TensorFloat32() { return is_on.load(std::memory_order_relaxed); }
void SetTensorFloat32(bool on) { is_on.store(on, std::memory_order_relaxed); }

}  // namespace warpbeam
