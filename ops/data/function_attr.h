// FunctionAttr: one of the functions that an op names, with the number of inputs it closes over,
// for ops that name several.
//
//   WB_ASSIGN_OR_RETURN(key_, ReadFunctionAttr(init, "key_func"));   // in ReadAttrs
//   CapturedFunction key = key_.Capture(ctx, 1);                     // in Make
//
// Ownership: values. Thread safety: immutable once read. Errors: those of attributes that an op
// does not have.
#ifndef WARPBEAM_OPS_DATA_FUNCTION_ATTR_H_
#define WARPBEAM_OPS_DATA_FUNCTION_ATTR_H_

#include <string>
#include <vector>

#include "ops/data/captured_function.h"

namespace warpbeam {

struct FunctionAttr {
  FunctionRef function;
  int num_captured = 0;

  // With inputs [begin, begin + num_captured).
  CapturedFunction Capture(const KernelContext& ctx, int begin) const {
    return {function, InputRange(ctx, begin, num_captured)};
  }
};

// The function `name`, which closes over inputs of the types `T<name>_other_arguments`.
inline StatusOr<FunctionAttr> ReadFunctionAttr(KernelInit& init, const std::string& name) {
  FunctionAttr attr;
  WB_ASSIGN_OR_RETURN(attr.function, init.attr<FunctionRef>(name));
  WB_ASSIGN_OR_RETURN(const std::vector<DType> captured,
                      init.attr<std::vector<DType>>("T" + name + "_other_arguments"));
  attr.num_captured = static_cast<int>(captured.size());
  return attr;
}

// The one int64 that a function returned; `name` is for the message.
inline StatusOr<int64_t> Int64Result(const Element& results, const char* name) {
  if (results.size() != 1 || results[0].dtype() != DType::kInt64 ||
      results[0].num_elements() != 1) {
    return InvalidArgument("`", name, "` must return a scalar int64");
  }
  return results[0].data<int64_t>()[0];
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_FUNCTION_ATTR_H_
