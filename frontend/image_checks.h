// What the functions of image.h have in common; internal to the frontend.
//
//   if (!IsImages(scope, "flip_up_down", images)) return Output();
//   Output checked = Checked(inside, images);        // "control_dependency"
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_IMAGE_CHECKS_H_
#define WARPBEAM_FRONTEND_IMAGE_CHECKS_H_

#include <vector>

#include "frontend/build.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// `x` once `checks` have passed, beside x.
Output WithDependencies(const Scope& inside, const std::vector<Operation>& checks, const Output& x);
// Whether all of a list of bools are true.
Output AllHold(const Scope& inside, const Output& x, const Input& axes);

// Whether colours are given from 0 to 1, in a type whose range is not the colours' own.
inline bool IsFloatImage(DType dtype) { return dtype == DType::kHalf || dtype == DType::kFloat; }
// Whether an image or a batch of them can be worked on; otherwise the scope has an error.
bool IsImages(const Scope& scope, const char* function, const Output& images);
// The number of the dimension that is `dim` in a single image, and its extent; -1 if not known.
int AxisOf(const Output& images, int dim);
int64_t Extent(const Output& images, int dim);
// The images, behind checks of what is not known of their shape.
Output Checked(const Scope& inside, const Output& images);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_CHECKS_H_
