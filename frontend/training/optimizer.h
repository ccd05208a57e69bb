// Optimizer: gradients of a loss with respect to variables, and their use on the variables
// (tf.train.Optimizer).
//
//   GradientDescentOptimizer opt(learning_rate);
//   Operation step = opt.Minimize(scope, loss, global_step);          // or, with towers:
//   std::vector<GradientAndVariable> grads = opt.ComputeGradients(tower, loss);
//   Operation apply = opt.ApplyGradients(scope, Average(grads), global_step);
//
// Node names are TensorFlow's: "GradientDescent/update_layer1/w/ApplyGradientDescent",
// "GradientDescent/update", "GradientDescent". A new optimizer says how one variable is updated
// (ApplyDense, ApplySparse), what variables it keeps beside each (CreateSlots) and what it makes
// ready first (Prepare). The other optimizers are in adadelta.h, adagrad.h, adam.h, ftrl.h, lamb.h,
// momentum.h, proximal_gradient_descent.h and rms_prop.h; sync_replicas_optimizer.h makes one of
// several workers.
//
// What an optimizer keeps beside a variable (its slots) has TensorFlow's names, so that checkpoints
// fit: "w/Adam" and "w/Adam_1". Slots are global variables, not trainable, on their variable's
// device. A sparse gradient changes its rows alone, and each once, however often an index occurs.
//
// Ownership: an optimizer is needed only while the graph is built. Thread safety: that of the
// Scope. Errors: no variables, no gradient for any of them; kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_OPTIMIZER_H_
#define WARPBEAM_FRONTEND_TRAINING_OPTIMIZER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/build.h"
#include "frontend/gradients.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

// A gradient (perhaps none) and the variable that it is for.
struct GradientAndVariable {
  Gradient gradient;
  Variable variable;
};

// What has to be computed before an update may begin (Optimizer.GATE_OP, …): nothing else, all
// gradients of the operations that read the variable, or all gradients. Variables by reference are
// changed where they are, and with less than kGateOp a gradient may read what an update has already
// changed.
enum class GateGradients { kGateNone, kGateOp, kGateGraph };

struct ComputeGradientsOptions {
  ComputeGradientsOptions& variables(std::vector<Variable> value) {
    variable_list = std::move(value);
    return *this;
  }
  ComputeGradientsOptions& colocate_gradients_with_ops(bool value) {
    colocate = value;
    return *this;
  }
  ComputeGradientsOptions& gate_gradients(GateGradients value) {
    gate = value;
    return *this;
  }

  std::vector<Variable> variable_list;  // empty: the trainable variables
  bool colocate = true;
  GateGradients gate = GateGradients::kGateOp;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One entry for each variable, in order.
  virtual HandleList<GradientAndVariable> ComputeGradients(
      ScopeRef scope, const Output& loss,
      const ComputeGradientsOptions& options = ComputeGradientsOptions());

  // Updates every variable that has a gradient; then adds 1 to `global_step`, if one is given.
  virtual Operation ApplyGradients(ScopeRef scope,
                                   const std::vector<GradientAndVariable>& gradients,
                                   const Variable& global_step = Variable());

  Operation Minimize(ScopeRef scope, const Output& loss, const Variable& global_step = Variable(),
                     const ComputeGradientsOptions& options = ComputeGradientsOptions());

  // The variable that the optimizer keeps for `variable` under the name `slot` ("momentum"); not
  // valid when there is none (yet).
  virtual Variable GetSlot(const Variable& variable, const std::string& slot) const;

  // The names that GetSlot knows, of all variables; in alphabetical order.
  virtual std::vector<std::string> GetSlotNames() const;

  // Everything that the optimizer keeps, once ApplyGradients has made it: the slots of all
  // variables and what is there once, such as Adam's powers; in alphabetical order.
  HandleList<Variable> Variables() const;

  // use_locking=True: updates of one variable exclude each other, whatever else runs.
  void set_use_locking(bool value) { use_locking_ = value; }

  // "GradientDescent": what names begin with.
  const std::string& name() const { return name_; }

 protected:
  explicit Optimizer(std::string name) : name_(std::move(name)) {}

  // Makes the variables that updates need, before anything else. `scope` is outside the optimizer's
  // name scope; `variables` are those that have a gradient.
  virtual void CreateSlots(const Scope& scope, const std::vector<Variable>& variables);
  // A slot of `variable`, which is made beside it as "VARIABLE/NAME" unless it is there; NAME is
  // the optimizer's where none is given.
  Variable MakeSlot(const Scope& scope, const Variable& variable, const std::string& slot,
                    const Initializer& initializer, const std::string& name = std::string());
  // The same, with a tensor as initial value.
  Variable MakeSlotFrom(const Scope& scope, const Variable& variable, const std::string& slot,
                        const Output& initial_value);
  // Slices in which no row occurs twice: rows of the same index are summed.
  static IndexedSlices Deduplicate(const Scope& scope, const IndexedSlices& slices);

  // The attributes of an op that updates a variable.
  OpAttrs UpdateAttrs() const { return OpAttrs().Set("use_locking", use_locking_); }
  // Builds "Assign" or "AssignSub".
  Operation Assign(const Scope& scope, const char* op, const Variable& variable,
                   const Output& value) const;

  // What it keeps beside the slots, for Variables().
  virtual std::vector<Variable> NonSlotVariables() const { return {}; }

  // Makes the tensors that all updates share, in the optimizer's name scope.
  virtual void Prepare(const Scope& scope) = 0;
  // The update of one variable; `scope` is beside the variable.
  virtual Operation ApplyDense(const Scope& scope, const Output& gradient,
                               const Variable& variable) = 0;
  // The update of some rows; by default the slices are made a tensor.
  virtual Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                const Variable& variable);
  // Whatever comes after the updates.
  virtual Operation Finish(const Scope& scope, const std::vector<Operation>& updates);

 private:
  std::vector<Operation> BuildUpdates(const Scope& scope,
                                      const std::vector<GradientAndVariable>& gradients);

  const std::string name_;
  bool use_locking_ = false;
  std::map<std::pair<std::string, Variable>, Variable, VariableOrder> slots_;
};

// variable -= learning_rate * gradient.
class GradientDescentOptimizer final : public Optimizer {
 public:
  explicit GradientDescentOptimizer(const Input& learning_rate,
                                    std::string name = "GradientDescent")
      : Optimizer(std::move(name)), learning_rate_(learning_rate) {}

 protected:
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  Input learning_rate_;
  Output rate_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_OPTIMIZER_H_
