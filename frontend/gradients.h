// Gradients: d(sum of ys)/dx for every x, as new nodes of the graph (tf.gradients).
//
//   std::vector<Gradient> g = Gradients(scope, {loss}, {w, b});
//   Output step = Multiply(scope, g[0], 0.1f);              // a Gradient stands for a tensor
//   if (g[1].is_slices()) … g[1].slices().indices …          // of an embedding: only some rows
//
// The nodes are built in "gradients" below the scope, each beside the node it belongs to (on its
// device and colocated with it), as tf.gradients with colocate_gradients_with_ops=True does: a
// tower's gradients stay on the tower's device.
//
// Ownership: none. Thread safety: that of the Scope. Errors: an op without gradient, a loss that is
// no tensor of the graph; kept in the scope.
#ifndef WARPBEAM_FRONTEND_GRADIENTS_H_
#define WARPBEAM_FRONTEND_GRADIENTS_H_

#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Row `indices[i]` of a tensor of shape `dense_shape` is the sum of the rows `values[i]`.
struct IndexedSlices {
  Output values;
  Output indices;
  Output dense_shape;  // not valid when it is not known

  std::string name() const { return values.name(); }
  DType dtype() const { return values.dtype(); }
  Operation op() const { return values.op(); }
  std::string device() const { return values.device(); }
};

// What flows into one tensor: nothing (Python's None), a tensor, or slices of one.
class Gradient {
 public:
  Gradient() = default;
  Gradient(const Output& dense) : dense_(dense) {}                // NOLINT
  Gradient(IndexedSlices slices) : slices_(std::move(slices)) {}  // NOLINT

  bool has_value() const { return dense_.valid() || is_slices(); }
  bool is_slices() const { return slices_.values.valid(); }
  const IndexedSlices& slices() const { return slices_; }
  // The tensor; slices are summed into zeros, by nodes that are built now.
  Output dense() const;
  operator Output() const { return dense(); }  // NOLINT: a gradient stands for its tensor

 private:
  Output dense_;
  IndexedSlices slices_;
};

struct GradientsOptions {
  // Gradients of the ys; empty, or entries that have no value: ones.
  std::vector<Gradient> grad_ys;
  // Tensors that count as constants.
  std::vector<Output> stop_gradients;
  // Every node beside the forward node it belongs to; otherwise in the scope's device.
  bool colocate_with_ops = true;
  // Of an operation whose gradient has several parts, none goes on before all are computed: what
  // changes a variable then does not change it under a part that still reads it.
  bool gate_gradients = false;
  // Zeros instead of nothing for an x that no y depends on.
  bool zeros_for_unconnected = false;
};

// One gradient for each x. Of a variable it is taken with respect to the variable itself, however
// it is read.
HandleList<Gradient> Gradients(ScopeRef scope, const InputList& ys, const InputList& xs,
                               const GradientsOptions& options = GradientsOptions());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRADIENTS_H_
