// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_STATE_OPS_H_
#define WARPBEAM_FRONTEND_OPS_STATE_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AssignAttrs : public OpAttrs {
 public:
  AssignAttrs& validate_shape(bool value) {
    Set("validate_shape", value);
    return *this;
  }
  AssignAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), value: T) -> (output_ref: Ref(T))
Output Assign(ScopeRef scope, const Input& ref, const Input& value,
    const AssignAttrs& attrs = AssignAttrs());

class AssignAddAttrs : public OpAttrs {
 public:
  AssignAddAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), value: T) -> (output_ref: Ref(T))
Output AssignAdd(ScopeRef scope, const Input& ref, const Input& value,
    const AssignAddAttrs& attrs = AssignAddAttrs());

class AssignSubAttrs : public OpAttrs {
 public:
  AssignSubAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), value: T) -> (output_ref: Ref(T))
Output AssignSub(ScopeRef scope, const Input& ref, const Input& value,
    const AssignSubAttrs& attrs = AssignSubAttrs());

// (ref: Ref(T)) -> (output: T)
Output CountUpTo(ScopeRef scope, const Input& ref, int64_t limit);

// (ref: Ref(T)) -> (value: T)
Output DestroyTemporaryVariable(ScopeRef scope, const Input& ref, const std::string& var_name);

// (ref: Ref(dtype)) -> (is_initialized: bool)
Output IsVariableInitialized(ScopeRef scope, const Input& ref);

// (resource: resource) -> (output: T)
Output ResourceCountUpTo(ScopeRef scope, const Input& resource, int64_t limit, DType T);

class ResourceScatterNdAddAttrs : public OpAttrs {
 public:
  ResourceScatterNdAddAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceScatterNdAddAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: resource, indices: Tindices, updates: T) -> ()
Operation ResourceScatterNdAdd(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdAddAttrs& attrs = ResourceScatterNdAddAttrs());

class ResourceScatterNdMaxAttrs : public OpAttrs {
 public:
  ResourceScatterNdMaxAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceScatterNdMaxAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: resource, indices: Tindices, updates: T) -> ()
Operation ResourceScatterNdMax(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdMaxAttrs& attrs = ResourceScatterNdMaxAttrs());

class ResourceScatterNdMinAttrs : public OpAttrs {
 public:
  ResourceScatterNdMinAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceScatterNdMinAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: resource, indices: Tindices, updates: T) -> ()
Operation ResourceScatterNdMin(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdMinAttrs& attrs = ResourceScatterNdMinAttrs());

class ResourceScatterNdSubAttrs : public OpAttrs {
 public:
  ResourceScatterNdSubAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceScatterNdSubAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: resource, indices: Tindices, updates: T) -> ()
Operation ResourceScatterNdSub(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdSubAttrs& attrs = ResourceScatterNdSubAttrs());

class ResourceScatterNdUpdateAttrs : public OpAttrs {
 public:
  ResourceScatterNdUpdateAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceScatterNdUpdateAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: resource, indices: Tindices, updates: T) -> ()
Operation ResourceScatterNdUpdate(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdUpdateAttrs& attrs = ResourceScatterNdUpdateAttrs());

class ScatterAddAttrs : public OpAttrs {
 public:
  ScatterAddAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterAdd(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterAddAttrs& attrs = ScatterAddAttrs());

class ScatterDivAttrs : public OpAttrs {
 public:
  ScatterDivAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterDiv(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterDivAttrs& attrs = ScatterDivAttrs());

class ScatterMaxAttrs : public OpAttrs {
 public:
  ScatterMaxAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterMax(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMaxAttrs& attrs = ScatterMaxAttrs());

class ScatterMinAttrs : public OpAttrs {
 public:
  ScatterMinAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterMin(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMinAttrs& attrs = ScatterMinAttrs());

class ScatterMulAttrs : public OpAttrs {
 public:
  ScatterMulAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterMul(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMulAttrs& attrs = ScatterMulAttrs());

class ScatterNdAddAttrs : public OpAttrs {
 public:
  ScatterNdAddAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ScatterNdAddAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterNdAdd(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdAddAttrs& attrs = ScatterNdAddAttrs());

class ScatterNdMaxAttrs : public OpAttrs {
 public:
  ScatterNdMaxAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ScatterNdMaxAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterNdMax(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdMaxAttrs& attrs = ScatterNdMaxAttrs());

class ScatterNdMinAttrs : public OpAttrs {
 public:
  ScatterNdMinAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ScatterNdMinAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterNdMin(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdMinAttrs& attrs = ScatterNdMinAttrs());

class ScatterNdSubAttrs : public OpAttrs {
 public:
  ScatterNdSubAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ScatterNdSubAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterNdSub(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdSubAttrs& attrs = ScatterNdSubAttrs());

class ScatterNdUpdateAttrs : public OpAttrs {
 public:
  ScatterNdUpdateAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ScatterNdUpdateAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterNdUpdate(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdUpdateAttrs& attrs = ScatterNdUpdateAttrs());

class ScatterSubAttrs : public OpAttrs {
 public:
  ScatterSubAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterSub(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterSubAttrs& attrs = ScatterSubAttrs());

class ScatterUpdateAttrs : public OpAttrs {
 public:
  ScatterUpdateAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
Output ScatterUpdate(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterUpdateAttrs& attrs = ScatterUpdateAttrs());

class TemporaryVariableAttrs : public OpAttrs {
 public:
  TemporaryVariableAttrs& var_name(const std::string& value) {
    Set("var_name", value);
    return *this;
  }
};
// () -> (ref: Ref(dtype))
Output TemporaryVariable(ScopeRef scope, const PartialShape& shape, DType dtype,
    const TemporaryVariableAttrs& attrs = TemporaryVariableAttrs());

class VariableAttrs : public OpAttrs {
 public:
  VariableAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  VariableAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (ref: Ref(dtype))
Output Variable(ScopeRef scope, const PartialShape& shape, DType dtype,
    const VariableAttrs& attrs = VariableAttrs());

class VariableV2Attrs : public OpAttrs {
 public:
  VariableV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  VariableV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (ref: Ref(dtype))
Output VariableV2(ScopeRef scope, const PartialShape& shape, DType dtype,
    const VariableV2Attrs& attrs = VariableV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_STATE_OPS_H_
