// KernelContext: what a kernel sees of one execution: inputs, outputs, memory, threads, services.
//
// Inputs and outputs live in the step's slots; the context is a thin view of them. An input that is
// a reference (VariableV2) is reached through `input_ref`, everything else through `input`.
//
//   const Tensor& x = ctx.input(0);
//   WB_ASSIGN_OR_RETURN(Tensor* y, ctx.Allocate(0, x.shape()));       // dtype: the output's
//   ctx.ParallelFor(n, /*ns_per_item=*/2, [&](int64_t begin, int64_t end) { … });
//
// Ownership: the step owns what the references refer to; they are valid during Compute (until
// `done` for asynchronous kernels). Thread safety: one context belongs to one execution. Errors:
// Allocate returns RESOURCE_EXHAUSTED when the device has no memory left.
#ifndef WARPBEAM_RUNTIME_KERNEL_KERNEL_CONTEXT_H_
#define WARPBEAM_RUNTIME_KERNEL_KERNEL_CONTEXT_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class Buffer;
class Device;
class FunctionRunner;
class RefVariable;
class ResourceStore;
class StepContext;
class Stream;

// One value of a step: empty, a tensor, a reference to a variable, or dead (the branch not taken).
struct Slot {
  Tensor value;
  RefVariable* ref = nullptr;
  bool dead = false;
};

class KernelContext {
 public:
  // What the executor knows of the node, fixed when the plan was compiled.
  struct NodeInfo {
    const int32_t* input_slots;  // index into the slots, one per input
    const DType* output_types;   // one per output
    int32_t num_inputs;
    int32_t num_outputs;
    int32_t output_start;  // outputs are consecutive slots
    // Bit i: input i has no later reader, so its buffer may become an output's.
    uint64_t forwardable_inputs;
    // Arguments that lie in host memory although the device has memory of its own: bit i for
    // argument i, the last bit for all from there on.
    uint64_t host_inputs;
    uint64_t host_outputs;
  };
  static bool HasBit(uint64_t arguments, int i) {
    return ((arguments >> std::min(i, 63)) & 1) != 0;
  }

  KernelContext(Slot* slots, const NodeInfo& node, Device* device, StepContext* step)
      : slots_(slots), node_(node), device_(device), step_(step) {}

  int num_inputs() const { return node_.num_inputs; }
  int num_outputs() const { return node_.num_outputs; }
  const Tensor& input(int i) const { return slots_[node_.input_slots[i]].value; }
  RefVariable* input_ref(int i) const { return slots_[node_.input_slots[i]].ref; }
  bool input_is_ref(int i) const { return input_ref(i) != nullptr; }
  bool input_is_dead(int i) const { return slots_[node_.input_slots[i]].dead; }
  // Whether nobody else needs the input's buffer from here on, so that it may become an output's.
  bool CanForward(int i) const {
    return i < 64 && ((node_.forwardable_inputs >> i) & 1) != 0 && input(i).IsUnique();
  }

  // The input, out of its slot where it has no later reader: the caller may then be its only owner.
  Tensor TakeInput(int i) const {
    Tensor& value = slots_[node_.input_slots[i]].value;
    const bool is_last = i < 64 && ((node_.forwardable_inputs >> i) & 1) != 0;
    return is_last ? std::move(value) : value;
  }

  DType output_type(int i) const { return BaseType(node_.output_types[i]); }
  void set_output(int i, Tensor value) { output_slot(i).value = std::move(value); }
  void set_output_ref(int i, RefVariable* ref) { output_slot(i).ref = ref; }
  Tensor& output(int i) { return output_slot(i).value; }

  // Uninitialised memory for output i, of its dtype: the device's, or the host's where the kernel
  // is declared to leave it there.
  StatusOr<Tensor*> Allocate(int output, const Shape& shape);
  // The buffer of the first of `inputs` that nobody else reads and that has the right size, else
  // new memory. An elementwise kernel may then read and write the same bytes.
  StatusOr<Tensor*> ForwardOrAllocate(std::initializer_list<int> inputs, int output,
                                      const Shape& shape);
  StatusOr<Tensor> AllocateTemp(DType dtype, const Shape& shape) const;

  // For values that outlive steps (variables): makes `value` the only owner of its bytes, copying
  // them when somebody else holds them too, at an address that this kernel may write to.
  Status MakeWritable(Tensor& value);

  Device* device() const { return device_; }
  StepContext* step() const { return step_; }
  ResourceStore* resources() const;
  FunctionRunner* functions() const;
  bool IsCancelled() const;

  // How many threads ParallelFor would use now, for work that is best cut into one piece for each.
  int width() const;

  // Runs fn(begin, end) over [0, count) on the device's intra-op threads, the caller's included;
  // returns when all is done. `ns_per_item` decides whether it is worth more than one thread.
  void ParallelFor(int64_t count, int64_t ns_per_item,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> fn) const;

 private:
  Slot& output_slot(int i) const { return slots_[node_.output_start + i]; }
  Slot* slots_;
  const NodeInfo& node_;
  Device* device_;
  StepContext* step_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_KERNEL_CONTEXT_H_
