#include "frontend/scope.h"

#include <algorithm>
#include <cstring>

#include "frontend/device/device_functions.h"
#include "frontend/graph_def/graph_lookup.h"
#include "frontend/graph_state.h"
#include "frontend/variables/variable_scope.h"
#include "graph/io/graph_version.h"

namespace warpbeam {
namespace frontend {
namespace {

std::shared_ptr<ScopeContext> Copy(const ScopeContext& context) {
  return std::make_shared<ScopeContext>(context);
}

// An error at the place where the program passed the scope on.
Status Located(const Status& error, SourceLocation location) {
  if (error.ok() || !location.known()) return error;
  const std::string place = location.ToString();
  if (error.message().find(place) != absl::string_view::npos) return error;
  return Annotate(error, place);
}

}  // namespace

Scope Scope::NewRoot() { return NewRoot(OpRegistry::Global()); }

Scope Scope::NewRoot(const OpRegistry& ops) {
  auto graph = std::make_shared<Graph>(ops);
  graph->versions().producer = kGraphVersion;
  return NewRoot(std::move(graph));
}

Scope Scope::NewRoot(std::shared_ptr<Graph> graph) {
  auto state = std::make_shared<GraphState>(std::move(graph));
  auto context = std::make_shared<ScopeContext>();
  context->variables = std::make_shared<VariableScopeFrame>();
  return Scope(std::move(state), std::move(context));
}

Status Scope::status() const { return state_->status(); }
bool Scope::ok() const { return state_->status().ok(); }
void Scope::Fail(const Status& error) const { state_->Fail(Located(error, location_)); }

Scope Scope::With(std::shared_ptr<const ScopeContext> context) const {
  Scope scope = *this;
  scope.context_ = std::move(context);
  return scope;
}

Scope Scope::At(SourceLocation location) const {
  Scope scope = *this;
  // What std::make_shared passes on comes from within the library: no place of the program.
  const bool is_library = location.known() && std::strstr(location.file, "/c++/") != nullptr;
  if (!location_.known() && !is_library) scope.location_ = location;
  return scope;
}

Scope Scope::NameScope(const std::string& name) const {
  if (name.empty()) return WithPrefix("");
  if (name.back() == '/') return WithPrefix(name.substr(0, name.size() - 1));
  if (!IsValidNodeName(name)) {
    Fail(InvalidArgument("'", name,
                         "' is no name for a name scope: use letters, digits and ._/>-, ",
                         "the first one a letter or digit"));
    return *this;
  }
  return WithPrefix(state_->UniqueName(context_->Join(name)));
}

Scope Scope::WithPrefix(const std::string& name) const {
  auto context = Copy(*context_);
  context->name_scope = name;
  return Scope(state_, std::move(context), location_);
}

Scope Scope::OpenScope(const std::string& fallback) const { return NameScope(OpNameOr(fallback)); }

Scope Scope::Named(const std::string& name) const {
  Scope scope = *this;
  scope.op_name_ = name;
  return scope;
}

Scope Scope::Device(const std::string& device) const {
  if (device.empty()) return *this;
  StatusOr<std::string> merged = MergeDevices(context_->device, device);
  if (!merged.ok()) {
    Fail(merged.status());
    return *this;
  }
  auto context = Copy(*context_);
  context->device = *std::move(merged);
  return With(std::move(context));
}

Scope Scope::Device(DeviceFunction function) const {
  if (function == nullptr) return *this;
  auto context = Copy(*context_);
  context->device_functions = std::make_shared<const DeviceFunctionFrame>(
      DeviceFunctionFrame{std::move(function), context_->device, context_->device_functions});
  context->device.clear();
  return With(std::move(context));
}

Scope Scope::NoDevice() const {
  auto context = Copy(*context_);
  context->device.clear();
  context->device_functions = nullptr;
  return With(std::move(context));
}

Scope Scope::ControlDependencies(const std::vector<Operation>& operations) const {
  auto frame = std::make_shared<ControlFrame>();
  for (const Operation& op : operations) {
    if (op.valid() && op.graph() != state_.get()) {
      Fail(InvalidArgument("control dependency on '", op.name(), "', which is in another graph"));
    }
    if (op.valid() && op.graph() == state_.get()) frame->operations.push_back(op.node());
  }
  auto context = Copy(*context_);
  context->control.push_back(std::move(frame));
  return With(std::move(context));
}

Scope Scope::Container(const std::string& name) const {
  auto context = Copy(*context_);
  context->container = name;
  return With(std::move(context));
}

Scope Scope::NoControlDependencies() const {
  auto context = Copy(*context_);
  context->control.clear();
  return With(std::move(context));
}

Scope Scope::ColocateWith(const Operation& operation) const {
  if (!operation.valid()) return *this;
  if (operation.graph() != state_.get()) {
    Fail(InvalidArgument("colocation with '", operation.name(), "', which is in another graph"));
    return *this;
  }
  auto context = Copy(*context_);
  context->device.clear();
  context->device_functions = nullptr;
  context->colocated.push_back(operation.node());
  return With(std::move(context));
}

Scope Scope::GradientOverrideMap(const std::map<std::string, std::string>& gradients) const {
  auto context = Copy(*context_);
  for (const auto& [op, gradient] : gradients) context->gradients[op] = gradient;
  return With(std::move(context));
}

Scope Scope::ColocateOnlyWith(const Operation& operation) const {
  auto context = Copy(*context_);
  context->colocated.clear();
  return With(std::move(context)).ColocateWith(operation);
}

Scope Scope::WithAttr(const std::string& name, AttrValue value) const {
  auto context = Copy(*context_);
  context->attrs.Set(name, std::move(value));
  return With(std::move(context));
}

Scope Scope::WithDefaults(const std::string& name, std::shared_ptr<const void> defaults) const {
  auto context = Copy(*context_);
  context->defaults[name] = std::move(defaults);
  return With(std::move(context));
}

Scope Scope::VariableScope(const std::string& name) const {
  return VariableScope(name, VariableScopeOptions());
}

Scope Scope::VariableScope(const std::string& name, const VariableScopeOptions& options) const {
  return OpenVariableScope(name, name, options);
}

Scope Scope::DefaultVariableScope(const std::string& default_name) const {
  const std::set<std::string>& opened = context_->variables->opened;
  std::string name = default_name;
  for (int i = 1; opened.count(name) > 0; ++i) name = absl::StrCat(default_name, "_", i);
  return OpenVariableScope(name, default_name, VariableScopeOptions());
}

Scope Scope::OpenVariableScope(const std::string& name, const std::string& operations,
                               const VariableScopeOptions& options) const {
  const Scope same = SameVariableScope(options);
  const Scope named = same.NameScope(operations);
  if (!ok()) return *this;
  context_->variables->opened.insert(name);
  VariableScopeFrame& frame = *same.context_->variables;
  frame.name = frame.name.empty() ? name : frame.name + "/" + name;
  frame.opened.clear();
  return named;
}

Scope Scope::SameVariableScope(const VariableScopeOptions& options) const {
  auto frame = std::make_shared<VariableScopeFrame>(*context_->variables);
  if (options.reuse_mode == Reuse::kTrue) frame->reuse = true;
  if (options.reuse_mode == Reuse::kAuto) frame->auto_reuse = true;
  if (options.default_initializer.has_value()) frame->initializer = options.default_initializer;
  if (options.default_regularizer.has_value()) frame->regularizer = options.default_regularizer;
  if (options.default_constraint != nullptr) frame->constraint = options.default_constraint;
  if (options.default_partitioner != nullptr) frame->partitioner = options.default_partitioner;
  if (options.default_dtype != DType::kInvalid) frame->dtype = options.default_dtype;
  if (options.getter != nullptr) frame->getter = InsideOf(frame->getter, options.getter);
  if (options.are_resources.has_value()) frame->use_resource = *options.are_resources;
  auto context = Copy(*context_);
  context->variables = std::move(frame);
  return With(std::move(context));
}

void Scope::SetRandomSeed(int64_t seed) const { state_->SetSeed(seed); }
std::optional<int64_t> Scope::random_seed() const { return state_->seed(); }

void Scope::PreventFeeding(const Output& tensor) const {
  state_->unfeedable().insert({tensor.node(), tensor.index()});
}

void Scope::PreventFetching(const Operation& operation) const {
  state_->unfetchable().insert(operation.node());
}

bool Scope::IsFeedable(const Output& tensor) const {
  return tensor.graph() == state_.get() &&
         state_->unfeedable().count({tensor.node(), tensor.index()}) == 0;
}

bool Scope::IsFetchable(const Operation& operation) const {
  return operation.graph() == state_.get() && state_->unfetchable().count(operation.node()) == 0;
}

std::string Scope::name_scope() const {
  return context_->name_scope.empty() ? std::string() : context_->name_scope + "/";
}

std::string Scope::variable_scope() const { return context_->variables->name; }
std::string Scope::device() const { return context_->device; }
const std::shared_ptr<Graph>& Scope::graph() const { return state_->graph(); }

Output Scope::GetTensor(const std::string& name) const {
  if (!ok()) return Output();
  const StatusOr<Output> found = FindTensor(*state_, name);
  if (found.ok()) return (*this)(*found);
  Fail(found.status());
  return Output();
}

Operation Scope::GetOperation(const std::string& name) const {
  if (!ok()) return Operation();
  const StatusOr<Operation> found = FindOperation(*state_, name);
  if (found.ok()) return *found;
  Fail(found.status());
  return Operation();
}

HandleList<Operation> Scope::GetOperations() const {
  std::vector<Operation> operations;
  for (const Node& node : state_->graph()->nodes()) {
    operations.emplace_back(state_.get(), node.id());
  }
  return operations;
}

bool Scope::HasOperation(const std::string& name) const {
  return state_->graph()->Find(name) != nullptr;
}

std::string Scope::UniqueName(const std::string& name) const {
  return state_->UniqueName(context_->Join(name));
}

Output Scope::operator()(const Output& tensor) const {
  return Output(tensor.graph_ref(), tensor.node(), tensor.index(), context_);
}

}  // namespace frontend
}  // namespace warpbeam
