// Regularizers: penalties on weights, as losses (tf.contrib.layers.l2_regularizer).
//
//   Regularizer regularizer = L2Regularizer(0.0001);
//   AddToCollection(scope, GraphKeys::kLosses, regularizer(scope, w));
//
// Ownership: values. Thread safety: that of the Scope. Errors: a negative scale is an error of the
// scope in which the regularizer is used.
#ifndef WARPBEAM_FRONTEND_VARIABLES_REGULARIZERS_H_
#define WARPBEAM_FRONTEND_VARIABLES_REGULARIZERS_H_

#include <functional>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

class Regularizer {
 public:
  using Function = std::function<Output(const Scope& scope, const Output& weights)>;
  Regularizer() = default;
  explicit Regularizer(Function function) : function_(std::move(function)) {}

  bool has_value() const { return function_ != nullptr; }
  // Not valid when there is nothing to add (a scale of 0).
  Output operator()(ScopeRef scope, const Output& weights) const {
    return function_(scope.scope(), weights);
  }

 private:
  Function function_;
};

// scale * L2Loss(weights), that is half the sum of squares.
Regularizer L2Regularizer(double scale);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_REGULARIZERS_H_
