// What the ops that write Summary messages share: their scalar tags, their numbers as floats or
// doubles, and the form of their serialized output.
//
//   WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 0));
//   WB_RETURN_IF_ERROR(NumbersOf(ctx.input(1), &numbers));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a tag that is no scalar.
#ifndef WARPBEAM_OPS_SUMMARY_SUMMARY_INPUT_H_
#define WARPBEAM_OPS_SUMMARY_SUMMARY_INPUT_H_

#include <string>
#include <vector>

#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

StatusOr<std::string> ScalarTag(const KernelContext& ctx, int input);

// The elements of a tensor of numbers, converted.
Status NumbersOf(const Tensor& tensor, std::vector<float>* numbers);
Status NumbersOf(const Tensor& tensor, std::vector<double>* numbers);

// "tag/image" for a single one, else "tag/image/0" and so on.
std::string TagOfPart(const std::string& tag, const char* kind, int64_t index, int64_t max_parts);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SUMMARY_SUMMARY_INPUT_H_
