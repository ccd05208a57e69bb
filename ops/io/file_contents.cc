// ReadFile, WriteFile: whole files as strings. MatchingFiles: the names that patterns match.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

StatusOr<std::string> ScalarString(const KernelContext& ctx, int input, const char* name) {
  if (ctx.input(input).rank() != 0) {
    return InvalidArgument("'", name, "' must be a scalar, not of shape ",
                           ctx.input(input).shape().ToString());
  }
  return ctx.input(input).scalar<std::string>();
}

Status RunReadFile(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string path, ScalarString(ctx, 0, "filename"));
  WB_ASSIGN_OR_RETURN(std::string contents, ReadFileToString(path));
  ctx.set_output(0, Tensor::Scalar<std::string>(std::move(contents)));
  return OkStatus();
}

// Makes the directories on the way, as TensorFlow's op does.
Status RunWriteFile(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string path, ScalarString(ctx, 0, "filename"));
  WB_ASSIGN_OR_RETURN(const std::string contents, ScalarString(ctx, 1, "contents"));
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    WB_RETURN_IF_ERROR(files::MakeDirectories(path.substr(0, slash)));
  }
  return WriteStringToFile(path, contents);
}

Status RunMatchingFiles(KernelContext& ctx) {
  const Tensor& patterns = ctx.input(0);
  if (patterns.rank() > 1) {
    return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                           patterns.shape().ToString());
  }
  std::vector<std::string> names;
  for (const std::string& pattern : patterns.flat<std::string>()) {
    WB_ASSIGN_OR_RETURN(const std::vector<std::string> matches, files::Match(pattern));
    names.insert(names.end(), matches.begin(), matches.end());
  }
  std::sort(names.begin(), names.end());
  ctx.set_output(0, Tensor::Vector<std::string>(MakeConstSpan(names)));
  return OkStatus();
}

Status ReadFileShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return shapes::Scalar(c);
}
Status WriteFileShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.WithRank(1, 0).status();
}
Status MatchingFilesShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1}));
  return OkStatus();
}

WB_OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .Needs(Capability::kReadFile)
    .Shape(ReadFileShape);
WB_KERNEL("ReadFile", FunctionKernel<RunReadFile>).Cpu();

WB_OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(WriteFileShape);
WB_KERNEL("WriteFile", FunctionKernel<RunWriteFile>).Cpu();

WB_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Needs(Capability::kReadFile)
    .Shape(MatchingFilesShape);
WB_KERNEL("MatchingFiles", FunctionKernel<RunMatchingFiles>).Cpu();

}  // namespace
}  // namespace warpbeam
