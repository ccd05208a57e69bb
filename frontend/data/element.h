// Element: the components of an element of a dataset, a list of tensors that can always be asked.
//
//   const Element next = iterator.GetNext();
//   const Output images = next[0], labels = next[1];
//   dataset.Map([](const Scope& s, const Element& e) -> Element {
//     return {e[0], Square(s, e[1])};
//   });
//
// What is not there, since the dataset could not be built or has fewer components, is an Output
// that is not valid: what is built of it is an error of the scope, and never the end of the
// program.
//
// Ownership: handles; see Output. Thread safety: that of the Scope. Errors: none.
#ifndef WARPBEAM_FRONTEND_DATA_ELEMENT_H_
#define WARPBEAM_FRONTEND_DATA_ELEMENT_H_

#include "frontend/output.h"

namespace warpbeam {
namespace frontend {
namespace data {

using Element = OutputList;

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_ELEMENT_H_
