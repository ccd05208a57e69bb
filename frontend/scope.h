// Scope: where and how the next operations are built: name prefix, device, control dependencies,
// colocation, variable scope, and the place in the program.
//
// A Scope is a cheap value. Its methods do not change it but return a new one, so that what Python
// writes as nested `with` blocks is a chain of scopes here:
//
//   Scope root = Scope::NewRoot();                         // with tf.Graph().as_default():
//   Scope cpu = root.Device("/cpu:0");                     // with tf.device('/cpu:0'):
//   Scope tower = cpu.Device("/gpu:1").NameScope("GPU_1"); // with … tf.name_scope('GPU_1'):
//   Output y = nn::Relu(tower, x);                         // "GPU_1/Relu" on /gpu:1
//   Operation train = NoOp(cpu.ControlDependencies({update, average}).Named("train"));
//
// Names are made unique as TensorFlow makes them: "Relu", "Relu_1"…; a name scope opened a second
// time gets a number too. Functions of the frontend take a ScopeRef, which every Scope converts to
// and which keeps the file and line of the call for errors, logs and placement reports.
//
// Ownership: scopes, sessions and datasets share the graph and its collections. Thread safety: one
// thread at a time builds a graph. Errors: nothing throws and nothing aborts. The first error is
// kept (`status()`), everything built after it is not valid, and ClientSession reports it.
#ifndef WARPBEAM_FRONTEND_SCOPE_H_
#define WARPBEAM_FRONTEND_SCOPE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/output.h"

namespace warpbeam {
namespace frontend {

struct VariableScopeOptions;  // frontend/variables/variable_scope.h

// Says on which device an operation is to be, from its name, type, attributes and outputs; its
// `device()` is what scopes inside of the function asked for. "" asks for nothing.
using DeviceFunction = std::function<StatusOr<std::string>(const Operation& operation)>;

class Scope {
 public:
  // A new graph over the ops linked into the program, or over `ops`, which must outlive it.
  static Scope NewRoot();
  static Scope NewRoot(const OpRegistry& ops);
  // Goes on building a graph that is there, such as an imported one.
  static Scope NewRoot(std::shared_ptr<Graph> graph);

  Status status() const;
  bool ok() const;
  // Keeps `error`, with the place, unless there is one already.
  void Fail(const Status& error) const;

  // tf.name_scope. "a/" goes back into the scope "a" as it is; "" is the top.
  Scope NameScope(const std::string& name) const;
  // The name (below the name scope) of what is built next with this scope, as `name=` in Python. A
  // name that ends in '/' is taken whole and as it is.
  Scope Named(const std::string& name) const;
  // tf.device: merged with the outer device part by part. "" changes nothing.
  Scope Device(const std::string& device) const;
  // tf.device(function): the function is asked for each operation that is built in the scope, but
  // for those that stand beside another (ColocateWith) or take a variable or another resource. What
  // it says is merged as a text is: Device() inside of it overrides its parts, and it those of the
  // outer ones. An error of it is one of building the operation.
  Scope Device(DeviceFunction function) const;
  // tf.device(None).
  Scope NoDevice() const;
  // tf.control_dependencies: operations built with this scope run after `operations`.
  Scope ControlDependencies(const std::vector<Operation>& operations) const;
  // tf.container: where variables, queues and the like keep their values; "" is the session's own.
  Scope Container(const std::string& name) const;
  Scope NoControlDependencies() const;
  // tf.Graph.gradient_override_map: operations of the type on the left have the gradient that the
  // name on the right stands for, an op or what RegisterGradient (gradient_override.h) was given.
  Scope GradientOverrideMap(const std::map<std::string, std::string>& gradients) const;
  // tf.colocate_with: on the device of `operation`, whatever Device() said outside.
  Scope ColocateWith(const Operation& operation) const;
  // The same, without the colocation that the scope has already.
  Scope ColocateOnlyWith(const Operation& operation) const;

  // tf.variable_scope(name): variables get the prefix, operations a name scope of the same name.
  Scope VariableScope(const std::string& name) const;
  Scope VariableScope(const std::string& name, const VariableScopeOptions& options) const;
  // tf.variable_scope(None, default_name): with a number where the name has been taken, as layers
  // and metrics without a name of their own get it: "dense", "dense_1".
  Scope DefaultVariableScope(const std::string& default_name) const;
  // tf.variable_scope(tf.get_variable_scope(), …): the same variable scope with other options, and
  // no name scope of its own.
  Scope SameVariableScope(const VariableScopeOptions& options) const;

  // tf.set_random_seed: random operations built from now on repeat from run to run.
  void SetRandomSeed(int64_t seed) const;
  // What it was set to.
  std::optional<int64_t> random_seed() const;

  // tf.Graph.prevent_feeding, prevent_fetching: from now on a session refuses to.
  void PreventFeeding(const Output& tensor) const;
  void PreventFetching(const Operation& operation) const;
  bool IsFeedable(const Output& tensor) const;
  bool IsFetchable(const Operation& operation) const;

  // "GPU_1/layer1/" as Python's `as scope`; "" at the top.
  std::string name_scope() const;
  std::string variable_scope() const;  // "layer1", "" at the top
  // What Device() was told, from the innermost function inwards.
  std::string device() const;

  // tf.Graph.get_tensor_by_name: "x:0", for use in this scope. It is an error of the scope where
  // the graph has none, with the name that may have been meant.
  Output GetTensor(const std::string& name) const;
  // tf.Graph.get_operation_by_name.
  Operation GetOperation(const std::string& name) const;
  // tf.Graph.get_operations: all there are, in the order in which they were added.
  HandleList<Operation> GetOperations() const;
  bool HasOperation(const std::string& name) const;
  // tf.Graph.unique_name: a name below the name scope that nothing has yet and nothing gets later.
  std::string UniqueName(const std::string& name) const;

  const std::shared_ptr<Graph>& graph() const;
  // `tensor` for use in this scope: operators on it build here.
  Output operator()(const Output& tensor) const;

  // For the frontend's own functions.
  Scope(std::shared_ptr<GraphState> state, std::shared_ptr<const ScopeContext> context,
        SourceLocation location = SourceLocation())
      : state_(std::move(state)), context_(std::move(context)), location_(location) {}
  Scope At(SourceLocation location) const;
  // The name scope `name`, taken as it is.
  Scope WithPrefix(const std::string& name) const;
  // A name scope that is called as Named() said, or `fallback`.
  Scope OpenScope(const std::string& fallback) const;
  // Attributes for every node built here.
  Scope WithAttr(const std::string& name, AttrValue value) const;
  // With defaults of functions (ScopeContext::defaults).
  Scope WithDefaults(const std::string& name, std::shared_ptr<const void> defaults) const;
  // What Named() said, else `fallback`.
  const std::string& OpNameOr(const std::string& fallback) const {
    return op_name_.empty() ? fallback : op_name_;
  }
  SourceLocation location() const { return location_; }
  GraphState& state() const { return *state_; }
  const std::shared_ptr<GraphState>& shared_state() const { return state_; }
  const ScopeContext& context() const { return *context_; }
  const std::shared_ptr<const ScopeContext>& shared_context() const { return context_; }

 private:
  Scope With(std::shared_ptr<const ScopeContext> context) const;
  Scope OpenVariableScope(const std::string& name, const std::string& operations,
                          const VariableScopeOptions& options) const;

  std::shared_ptr<GraphState> state_;
  std::shared_ptr<const ScopeContext> context_;  // never null
  std::string op_name_;
  SourceLocation location_;
};

// A Scope together with the place in the program where it was passed on.
class ScopeRef {
 public:
  ScopeRef(const Scope& scope, SourceLocation where = SourceLocation::Here())  // NOLINT
      : scope_(scope), where_(where) {}

  // The scope, which from now on puts `where` into every node; one that has a place keeps it, so
  // that composite functions point at their callers.
  Scope scope() const { return scope_.At(where_); }
  SourceLocation where() const { return where_; }

 private:
  const Scope& scope_;
  SourceLocation where_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SCOPE_H_
