// MergeV2Checkpoints: the checkpoints that several devices saved become one.
#include <set>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/checkpoint/bundle_merge.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

class MergeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<MergeKernel>();
    WB_ASSIGN_OR_RETURN(kernel->delete_old_dirs_, init.attr<bool>("delete_old_dirs"));
    WB_ASSIGN_OR_RETURN(kernel->allow_missing_, init.attr<bool>("allow_missing_files"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 1) {
      return InvalidArgument("Input checkpoint_prefixes should be a vector, not of shape ",
                             ctx.input(0).shape().ToString());
    }
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("Input destination_prefix should be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    const Span<const std::string> inputs = ctx.input(0).flat<std::string>();
    const std::vector<std::string> prefixes(inputs.begin(), inputs.end());
    const std::string& merged = ctx.input(1).scalar<std::string>();
    WB_RETURN_IF_ERROR(MergeBundles(prefixes, merged, allow_missing_));
    if (!delete_old_dirs_) return OkStatus();
    std::set<std::string> folders;
    for (const std::string& prefix : prefixes) folders.insert(FolderOf(prefix));
    folders.erase(FolderOf(merged));
    folders.erase("");
    // Only empty ones go, and one that stays is no failure of the merge.
    for (const std::string& folder : folders) files::RemoveDirectory(folder);
    return OkStatus();
  }

 private:
  bool delete_old_dirs_ = true;
  bool allow_missing_ = false;
};

Status MergeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  return c.WithRank(1, 0).status();
}

WB_OP("MergeV2Checkpoints")
    .Input("checkpoint_prefixes: string")
    .Input("destination_prefix: string")
    .Attr("delete_old_dirs: bool = true")
    .Attr("allow_missing_files: bool = false")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(MergeShape);
WB_KERNEL("MergeV2Checkpoints", MergeKernel).Cpu();

}  // namespace
}  // namespace warpbeam
