// ImmutableConst: a constant whose bytes are a file's, in the machine's byte order. The file is
// mapped, not read: a graph may have more constants than a serialized graph can hold, and processes
// that run the same graph share their memory. Nobody may shorten the file meanwhile.
#include <sys/mman.h>

#include <limits>
#include <mutex>
#include <optional>

#include "absl/strings/match.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "graph/types/buffer.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

class MappedFile final : public Buffer {
 public:
  MappedFile(void* data, size_t bytes) : Buffer(data, bytes) {}

 private:
  void Release() override {
    munmap(data_, bytes_);
    delete this;
  }
};

StatusOr<BufferRef> MapFile(const std::string& path, size_t bytes) {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<InputFile> file, InputFile::Open(path));
  const int64_t length = file->size();
  if (length < 0 || static_cast<size_t>(length) < bytes) {
    return Internal("the file ", path, " has ", length, " bytes, the constant takes ", bytes);
  }
  WB_ASSIGN_OR_RETURN(void* data, file->Map(bytes));
  return BufferRef(new MappedFile(data, bytes));
}

class ImmutableConstKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PartialShape written, init.attr<PartialShape>("shape"));
    WB_ASSIGN_OR_RETURN(const Shape shape, written.AsShape());
    WB_ASSIGN_OR_RETURN(std::string path, init.attr<std::string>("memory_region_name"));
    if (absl::StartsWith(path, "memmapped_package://")) {
      return Unimplemented("the constant is part of a package of mapped files ('", path,
                           "'); give it a file of its own");
    }
    WB_ASSIGN_OR_RETURN(const DType dtype, init.attr<DType>("dtype"));
    return std::make_unique<ImmutableConstKernel>(dtype, shape, std::move(path));
  }
  ImmutableConstKernel(DType dtype, Shape shape, std::string path)
      : dtype_(dtype), shape_(std::move(shape)), path_(std::move(path)) {}

  Status Compute(KernelContext& ctx) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!value_.has_value()) {
      WB_ASSIGN_OR_RETURN(value_, Map());
    }
    ctx.set_output(0, *value_);
    return OkStatus();
  }

 private:
  StatusOr<Tensor> Map() const {
    if (!IsPlainData(dtype_)) {
      return Unimplemented("a file cannot hold elements of ", DTypeName(dtype_));
    }
    if (shape_.num_elements() == 0) return Tensor::Allocate(dtype_, shape_);
    const auto size = static_cast<int64_t>(DTypeSize(dtype_));
    if (shape_.num_elements() > std::numeric_limits<int64_t>::max() / size) {
      return InvalidArgument("no file has room for ", shape_.ToString());
    }
    WB_ASSIGN_OR_RETURN(BufferRef file, MapFile(path_, shape_.num_elements() * size));
    void* data = file->data();
    return Tensor(dtype_, shape_, std::move(file), data);
  }

  const DType dtype_;
  const Shape shape_;
  const std::string path_;
  std::mutex mutex_;
  std::optional<Tensor> value_;
};

Status ImmutableConstShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

WB_OP("ImmutableConst")
    .Output("tensor: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("memory_region_name: string")
    .Needs(Capability::kReadFile)
    .Shape(ImmutableConstShape);
WB_KERNEL("ImmutableConst", ImmutableConstKernel).Cpu();

}  // namespace warpbeam
