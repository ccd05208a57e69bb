#include "graph/functions/function_library.h"

#include <atomic>

namespace warpbeam {

struct FunctionLibrary::Table {
  FunctionMap functions;
  GradientMap gradients;
  // Functions that were replaced: nodes of graphs may still point at their signatures.
  std::vector<std::shared_ptr<const Function>> retired;
  // Set by the first copy, for ever: how many owners are left cannot be asked without a race.
  std::atomic<bool> is_shared{false};
};

namespace {

bool SameArg(const ArgSpec& a, const ArgSpec& b) {
  return a.name == b.name && a.type == b.type && a.type_attr == b.type_attr &&
         a.number_attr == b.number_attr && a.type_list_attr == b.type_list_attr &&
         a.is_ref == b.is_ref;
}

bool SameArgs(const std::vector<ArgSpec>& a, const std::vector<ArgSpec>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!SameArg(a[i], b[i])) return false;
  }
  return true;
}

bool SameAttrs(const std::vector<AttrSpec>& a, const std::vector<AttrSpec>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].type != b[i].type ||
        a[i].default_value != b[i].default_value || a[i].has_minimum != b[i].has_minimum ||
        a[i].minimum != b[i].minimum || a[i].allowed_values != b[i].allowed_values) {
      return false;
    }
  }
  return true;
}

bool SameNode(const NodeSpec& a, const NodeSpec& b) {
  return a.name == b.name && a.op == b.op && a.inputs == b.inputs && a.device == b.device &&
         a.attrs == b.attrs;
}

bool SameFunction(const Function& a, const Function& b) {
  if (&a == &b) return true;
  if (!a.wire_form.empty() && a.wire_form == b.wire_form) return true;
  const OpSchema& x = a.signature;
  const OpSchema& y = b.signature;
  if (x.name != y.name || !SameArgs(x.inputs, y.inputs) || !SameArgs(x.outputs, y.outputs) ||
      !SameAttrs(x.attrs, y.attrs) || x.control_outputs != y.control_outputs ||
      a.returns != b.returns || a.control_returns != b.control_returns || !(a.attrs == b.attrs) ||
      a.nodes.size() != b.nodes.size()) {
    return false;
  }
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    if (!SameNode(a.nodes[i], b.nodes[i])) return false;
  }
  return true;
}

}  // namespace

FunctionLibrary::FunctionLibrary() : table_(std::make_shared<Table>()) {}
FunctionLibrary::FunctionLibrary(const FunctionLibrary& other) : table_(other.Shared()) {}
FunctionLibrary& FunctionLibrary::operator=(const FunctionLibrary& other) {
  table_ = other.Shared();
  return *this;
}

size_t FunctionLibrary::size() const { return table_->functions.size(); }
const FunctionLibrary::FunctionMap& FunctionLibrary::functions() const { return table_->functions; }
const FunctionLibrary::GradientMap& FunctionLibrary::gradients() const { return table_->gradients; }

std::shared_ptr<FunctionLibrary::Table> FunctionLibrary::Shared() const {
  table_->is_shared.store(true, std::memory_order_relaxed);
  return table_;
}

FunctionLibrary::Table& FunctionLibrary::Own() {
  if (table_->is_shared.load(std::memory_order_relaxed)) {
    auto own = std::make_shared<Table>();
    own->functions = table_->functions;
    own->gradients = table_->gradients;
    own->retired = table_->retired;
    table_ = std::move(own);
  }
  return *table_;
}

Status FunctionLibrary::Add(std::shared_ptr<const Function> function) {
  const std::string& name = function->signature.name;
  if (name.empty()) return InvalidArgument("a function of the library has no name");
  if (const auto known = functions().find(name); known != functions().end()) {
    if (SameFunction(*known->second, *function)) return OkStatus();
    return AlreadyExists("the library has another function named '", name, "'");
  }
  Own().functions.emplace(name, std::move(function));
  return OkStatus();
}

Status FunctionLibrary::AddAll(const FunctionLibrary& other) {
  if (other.table_ == table_) return OkStatus();
  for (const auto& entry : other.functions()) WB_RETURN_IF_ERROR(Add(entry.second));
  for (const auto& entry : other.gradients()) {
    WB_RETURN_IF_ERROR(AddGradient(entry.first, entry.second));
  }
  return OkStatus();
}

void FunctionLibrary::Replace(std::shared_ptr<const Function> function) {
  Table& table = Own();
  std::shared_ptr<const Function>& slot = table.functions[function->signature.name];
  if (slot != nullptr) table.retired.push_back(std::move(slot));
  slot = std::move(function);
}

std::shared_ptr<const Function> FunctionLibrary::Find(absl::string_view name) const {
  const auto it = functions().find(name);
  return it == functions().end() ? nullptr : it->second;
}

Status FunctionLibrary::AddGradient(const std::string& function, const std::string& gradient) {
  if (const auto known = gradients().find(function); known != gradients().end()) {
    if (known->second == gradient) return OkStatus();
    return AlreadyExists("the function '", function, "' has the gradient function '", known->second,
                         "' already, it cannot have '", gradient, "' too");
  }
  Own().gradients.emplace(function, gradient);
  return OkStatus();
}

std::string FunctionLibrary::FindGradient(absl::string_view function) const {
  const auto it = gradients().find(function);
  return it == gradients().end() ? "" : it->second;
}

}  // namespace warpbeam
