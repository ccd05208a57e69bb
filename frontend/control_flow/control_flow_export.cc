#include "frontend/collections.h"
#include "frontend/control_flow/control_flow_def.h"
#include "graph/types/errors.h"
#include "proto/control_flow.pb.h"

namespace warpbeam {
namespace frontend {
namespace {

void SetValues(const ControlFlowDef& def, tensorflow::ValuesDef* proto) {
  for (const std::string& value : def.values) proto->add_values(value);
  for (const auto& [outside, inside] : def.externals) {
    (*proto->mutable_external_values())[outside] = inside;
  }
}

template <typename Proto>
void SetNested(const ControlFlowDef& def, Proto* proto) {
  for (const std::string& bytes : def.nested) {
    proto->add_nested_contexts()->ParseFromString(bytes);
  }
}

void SetBranch(const ControlFlowDef& def, tensorflow::CondContextDef* proto) {
  proto->set_context_name(def.name);
  proto->set_pred_name(def.predicate);
  proto->set_pivot_name(def.pivot);
  proto->set_branch(def.branch);
  SetValues(def, proto->mutable_values_def());
  SetNested(def, proto);
}

void SetLoop(const ControlFlowDef& def, tensorflow::WhileContextDef* proto) {
  proto->set_context_name(def.name);
  proto->set_parallel_iterations(def.parallel_iterations);
  proto->set_back_prop(true);
  proto->set_pivot_name(def.pivot);
  proto->set_pivot_for_pred_name(def.pivot_for_condition);
  proto->set_pivot_for_body_name(def.pivot_for_body);
  for (const std::string& name : def.exits) proto->add_loop_exit_names(name);
  for (const std::string& name : def.enters) proto->add_loop_enter_names(name);
  SetValues(def, proto->mutable_values_def());
  SetNested(def, proto);
}

// Puts a prefix before every name of a message.
class Prefixing {
 public:
  explicit Prefixing(const std::string& prefix) : prefix_(prefix) {}

  void Add(tensorflow::CondContextDef* def) const {
    Add(def->mutable_context_name());
    Add(def->mutable_pred_name());
    Add(def->mutable_pivot_name());
    Add(def->mutable_values_def());
    for (auto& nested : *def->mutable_nested_contexts()) Add(&nested);
  }

  void Add(tensorflow::WhileContextDef* def) const {
    Add(def->mutable_context_name());
    Add(def->mutable_pivot_name());
    Add(def->mutable_pivot_for_pred_name());
    Add(def->mutable_pivot_for_body_name());
    Add(def->mutable_maximum_iterations_name());
    for (std::string& name : *def->mutable_loop_exit_names()) Add(&name);
    for (std::string& name : *def->mutable_loop_enter_names()) Add(&name);
    Add(def->mutable_values_def());
    for (auto& nested : *def->mutable_nested_contexts()) Add(&nested);
  }

 private:
  void Add(std::string* name) const {
    if (!name->empty()) name->insert(0, prefix_);
  }

  void Add(tensorflow::ValuesDef* def) const {
    for (std::string& value : *def->mutable_values()) Add(&value);
    const auto externals = def->external_values();
    def->clear_external_values();
    for (const auto& entry : externals) {
      (*def->mutable_external_values())[prefix_ + entry.first] = prefix_ + entry.second;
    }
  }

  void Add(tensorflow::ControlFlowContextDef* def) const {
    if (def->has_cond_ctxt()) Add(def->mutable_cond_ctxt());
    if (def->has_while_ctxt()) Add(def->mutable_while_ctxt());
  }

  const std::string& prefix_;
};

template <typename Proto>
StatusOr<std::string> Prefixed(const std::string& bytes, const std::string& prefix) {
  Proto proto;
  if (!proto.ParseFromString(bytes)) {
    return DataLoss("an entry of ", bytes.size(), " bytes describes no loop or branch");
  }
  Prefixing(prefix).Add(&proto);
  return proto.SerializeAsString();
}

}  // namespace

std::string SerializeControlFlow(const ControlFlowDef& def) {
  if (def.is_loop) {
    tensorflow::WhileContextDef proto;
    SetLoop(def, &proto);
    return proto.SerializeAsString();
  }
  tensorflow::CondContextDef proto;
  SetBranch(def, &proto);
  return proto.SerializeAsString();
}

std::string SerializeContext(const ControlFlowDef& def) {
  tensorflow::ControlFlowContextDef proto;
  if (def.is_loop) {
    SetLoop(def, proto.mutable_while_ctxt());
  } else {
    SetBranch(def, proto.mutable_cond_ctxt());
  }
  return proto.SerializeAsString();
}

StatusOr<std::string> PrefixControlFlow(const std::string& key, const std::string& bytes,
                                        const std::string& prefix) {
  if (key == GraphKeys::kWhileContext) return Prefixed<tensorflow::WhileContextDef>(bytes, prefix);
  return Prefixed<tensorflow::CondContextDef>(bytes, prefix);
}

}  // namespace frontend
}  // namespace warpbeam
