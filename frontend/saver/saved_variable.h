// SavedVariable: under which name a checkpoint has a variable, and which slice of what has that
// name it is.
//
// Internal to the savers.
//
//   for (const SavedVariable& saved : SavedVariables(GlobalVariables(scope))) …
//
// Ownership: values. Thread safety: values. Errors: none.
#ifndef WARPBEAM_FRONTEND_SAVER_SAVED_VARIABLE_H_
#define WARPBEAM_FRONTEND_SAVER_SAVED_VARIABLE_H_

#include <map>
#include <string>
#include <vector>

#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct SavedVariable {
  // "4 2 0,2:0,2"; empty for what is whole.
  std::string slice() const { return is_part ? variable.slice()->Spec(variable.shape()) : ""; }
  // Of what has the name.
  const Shape& shape() const { return is_part ? variable.slice()->full_shape : variable.shape(); }

  std::string name;
  Variable variable;
  bool is_part = false;
};

// In the order of TensorFlow's Saver: by name, and then by the names of the variables. The parts of
// a variable that is cut stand under the name of the whole, each variable once.
std::vector<SavedVariable> SavedVariables(const std::vector<Variable>& variables);
// By name; one that is cut is its parts, and a part under a name of its own is whole.
std::vector<SavedVariable> SavedVariables(const std::map<std::string, Variable>& variables);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_SAVED_VARIABLE_H_
