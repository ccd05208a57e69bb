// OpSignature: how the function of one op looks in C++, and its text.
//
//   const OpSignature signature(*OpRegistry::Global().Find("MatMul"));
//   header += signature.Declaration();
//   source += signature.Definition();
//
// Inputs come first, then the attributes that have no default and do not follow from the inputs;
// the others are set on an object of attributes of the op's own.
//
// Ownership: the schema must outlive it. Thread safety: immutable. Errors: none.
#ifndef WARPBEAM_FRONTEND_GEN_OP_SIGNATURE_H_
#define WARPBEAM_FRONTEND_GEN_OP_SIGNATURE_H_

#include <string>
#include <vector>

#include "graph/op/op_schema.h"

namespace warpbeam {
namespace frontend {

class OpSignature {
 public:
  explicit OpSignature(const OpSchema& schema);

  std::string Declaration() const;
  std::string Definition() const;

 private:
  bool FollowsFromInputs(const AttrSpec& attr) const;
  std::string Comment() const;
  std::string AttrsClass() const;
  std::string OutputsStruct() const;
  // "Output MatMul(ScopeRef scope, const Input& a, …"; with default arguments in a declaration.
  std::string Head(bool declaration) const;
  std::string ResultType() const;
  // The attributes' argument of BuildOp: "attrs", with the required ones set.
  std::string AttrsArgument() const;

  const OpSchema& schema_;
  std::vector<const AttrSpec*> required_;
  std::vector<const AttrSpec*> optional_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GEN_OP_SIGNATURE_H_
