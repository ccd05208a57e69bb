// Variable and RefVariable: tensors that outlive steps, of resource and of reference kind.
//
// Both kinds have snapshot semantics: a reader shares the buffer at the moment it reads; a writer
// changes the bytes in place only while nobody else holds the buffer, else it writes a new buffer
// and swaps it in. So a value once read never changes under its reader.
//
//   Tensor now = v->Read();                       // invalid dtype when not initialised
//   WB_RETURN_IF_ERROR(v->Update([&](Tensor& value) { … value is ours to write … }));
//
// Thread safety: any thread; updates of one variable are serialised by its lock. Errors:
// FAILED_PRECONDITION when the value is needed and there is none.
#ifndef WARPBEAM_RUNTIME_STATE_VARIABLE_H_
#define WARPBEAM_RUNTIME_STATE_VARIABLE_H_

#include <atomic>
#include <mutex>
#include <string>

#include "absl/functional/function_ref.h"
#include "graph/types/tensor.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class Variable : public Resource {
 public:
  Variable(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}
  std::string DebugString() const override;
  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }

  bool IsInitialized() const;
  Tensor Read() const;
  // Read, or FAILED_PRECONDITION naming the variable and how to initialise it.
  StatusOr<Tensor> ReadInitialized() const;
  void Assign(Tensor value);
  // Calls `change` under the lock with the value. The callee may write its bytes only after
  // `KernelContext::MakeWritable`, or replace it.
  Status Update(absl::FunctionRef<Status(Tensor& value)> change);

  // Something relies on the place of the value, such as a recording of launches
  // (runtime/step/replay.h): who can change the bytes as well as put others there does the former.
  void StayInPlace() { stays_.store(true, std::memory_order_relaxed); }
  bool stays_in_place() const { return stays_.load(std::memory_order_relaxed); }

 private:
  const std::string name_;
  const DType dtype_;
  mutable std::mutex mutex_;
  Tensor value_;
  std::atomic<bool> stays_{false};
};

// The variable behind a VariableV2 node; its output is a reference to it.
class RefVariable final : public Variable {
 public:
  RefVariable(std::string name, DType dtype, PartialShape declared_shape = PartialShape())
      : Variable(std::move(name), dtype), declared_shape_(std::move(declared_shape)) {}
  // What the node promises of the value's shape; a validating Assign holds the first value to it.
  const PartialShape& declared_shape() const { return declared_shape_; }

 private:
  const PartialShape declared_shape_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STATE_VARIABLE_H_
