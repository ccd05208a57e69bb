// RestoreV2: tensors, or parts of tensors, from a version 2 checkpoint, or from one of version 1
// where there is no index file.
#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/io/checkpoint_arguments.h"
#include "ops/io/restored_tensor.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

// Everything that is wrong with what is asked for, before anything is read. `*largest_first` gets
// the outputs in the order of their tensors' sizes.
Status CheckAll(const KernelContext& ctx, const CheckpointArguments& arguments,
                const BundleReader& reader, std::vector<int>* largest_first) {
  std::vector<std::string> missing, wrong;
  std::vector<std::pair<int64_t, int>> sizes;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const std::string& name = arguments.names[i];
    const ShapeAndSlice& part = arguments.parts[i];
    if (name.empty() || !reader.Contains(name)) {
      missing.push_back(name);
      continue;
    }
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, reader.Find(name));
    sizes.emplace_back(entry.size, i);
    if (entry.dtype != ctx.output_type(i)) {
      wrong.push_back(absl::StrCat("tensor_name = ", name, "; expected dtype ",
                                   DTypeName(ctx.output_type(i)), " does not equal original dtype ",
                                   DTypeName(entry.dtype)));
    } else if (part.is_given && part.full != entry.shape) {
      wrong.push_back(absl::StrCat(
          "tensor_name = ", name, "; shape in shape_and_slice spec ", part.full.ToString(),
          " does not match the shape stored in checkpoint: ", entry.shape.ToString()));
    }
  }
  if (!missing.empty()) {
    return NotFound(missing.size() == 1 ? "Key " : "Keys ", absl::StrJoin(missing, ", "),
                    " not found in checkpoint ", arguments.path);
  }
  if (!wrong.empty()) {
    return InvalidArgument(absl::StrJoin(wrong, "\n"), "\nin checkpoint ", arguments.path);
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (const auto& [size, output] : sizes) largest_first->push_back(output);
  return OkStatus();
}

Status RunRestoreV2(KernelContext& ctx) {
  const int count = ctx.num_outputs();
  WB_ASSIGN_OR_RETURN(const CheckpointArguments arguments,
                      ReadCheckpointArguments(ctx, /*has_slices=*/true, count));
  if (!files::Exists(IndexFileName(arguments.path))) {
    return RestoreFromSliceFiles(ctx, arguments);
  }
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader,
                      BundleReader::Open(arguments.path, PoolAllocator::Process()));
  std::vector<int> order;
  WB_RETURN_IF_ERROR(CheckAll(ctx, arguments, *reader, &order));
  // Reading is copying and summing up, for several threads to share. Tensors differ in size: each
  // thread takes the next one when it is done with one, the small ones at the end.
  constexpr int64_t kLongNs = 10'000'000;
  std::atomic<int> next{0};
  std::vector<StatusOr<Tensor>> tensors(count, Unknown("not read"));
  ctx.ParallelFor(std::min(count, ctx.width()), kLongNs, [&](int64_t, int64_t) {
    for (int k = next++; k < count; k = next++) {
      const int i = order[k];
      const ShapeAndSlice& part = arguments.parts[i];
      tensors[i] = part.is_given ? reader->ReadSlice(arguments.names[i], part.slice)
                                 : reader->Read(arguments.names[i]);
    }
  });
  for (int i = 0; i < count; ++i) {
    WB_RETURN_IF_ERROR(tensors[i].status());
    ctx.set_output(i, *std::move(tensors[i]));
  }
  return OkStatus();
}

Status RestoreV2Shape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int input : {1, 2}) WB_RETURN_IF_ERROR(CheckVectorOf(c, input, c.num_outputs()));
  for (int i = 0; i < c.num_outputs(); ++i) WB_RETURN_IF_ERROR(SetRestoredShape(c, 2, i));
  return OkStatus();
}

WB_OP("RestoreV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Output("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(RestoreV2Shape);
WB_KERNEL("RestoreV2", FunctionKernel<RunRestoreV2>).Cpu();

}  // namespace
}  // namespace warpbeam
