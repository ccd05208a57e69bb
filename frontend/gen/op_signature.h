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

  // One line where it is no more than a function; else with the types of attributes and outputs.
  std::string Declaration() const;
  // As few lines as there can be; "In" and "InList" stand for its types of inputs.
  std::string Definition() const;

 private:
  bool FollowsFromInputs(const AttrSpec& attr) const;
  std::string AttrsStruct() const;
  std::string OutputsStruct() const;
  std::string ResultType() const;
  // "Output MatMul(ScopeRef scope, const Input& a, …)"; with default arguments in a declaration.
  std::string Head(bool declaration) const;
  // What BuildOp takes after the scope: the op, its inputs, its attributes. (In this text and those
  // beside it a mark stands wherever a line may be broken.)
  std::string Arguments() const;
  // The function's statements, each on a line of its own.
  std::string Body() const;

  const OpSchema& schema_;
  std::vector<const AttrSpec*> required_;
  std::vector<const AttrSpec*> optional_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GEN_OP_SIGNATURE_H_
