// DecodeRaw, DecodePaddedRaw: the bytes of strings as numbers.
#include <algorithm>
#include <cstring>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr TypeSet kRawTypes = {
    DType::kHalf,  DType::kBFloat16,  DType::kFloat,     DType::kDouble, DType::kInt8,
    DType::kInt16, DType::kInt32,     DType::kInt64,     DType::kUInt8,  DType::kUInt16,
    DType::kBool,  DType::kComplex64, DType::kComplex128};
constexpr TypeSet kPaddedRawTypes = {DType::kBFloat16, DType::kFloat, DType::kDouble,
                                     DType::kInt8,     DType::kInt16, DType::kInt32,
                                     DType::kInt64,    DType::kUInt8, DType::kUInt16};

// Numbers of `size` bytes each from the other byte order to the machine's.
void SwapBytes(char* data, size_t bytes, size_t size) {
  for (size_t i = 0; i < bytes; i += size) std::reverse(data + i, data + i + size);
}

class RawKernel : public Kernel {
 public:
  RawKernel(DType type, bool little_endian)
      : type_(type), size_(DTypeSize(type)), swap_(!little_endian && number_size() > 1) {}

 protected:
  // Bytes of the numbers that change order: of a complex number, its halves.
  size_t number_size() const { return IsComplex(type_) ? DTypeSize(type_) / 2 : DTypeSize(type_); }
  StatusOr<Shape> WithElements(const Shape& shape, int64_t elements) const {
    return shape.Insert(shape.rank(), elements);
  }
  Status Finish(char* data, size_t bytes) const {
    if (swap_) SwapBytes(data, bytes, number_size());
    for (size_t i = 0; type_ == DType::kBool && i < bytes; ++i) {
      if (data[i] != 0 && data[i] != 1) {
        return InvalidArgument("a byte of a bool must be 0 or 1, not ", int{data[i]});
      }
    }
    return OkStatus();
  }

  const DType type_;
  const size_t size_;
  const bool swap_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> CreateRaw(KernelInit& init) {
  WB_ASSIGN_OR_RETURN(DType type, init.attr<DType>("out_type"));
  WB_ASSIGN_OR_RETURN(bool little_endian, init.attr<bool>("little_endian"));
  return std::make_unique<K>(type, little_endian);
}

class DecodeRawKernel final : public RawKernel {
 public:
  using RawKernel::RawKernel;
  static auto Create(KernelInit& init) { return CreateRaw<DecodeRawKernel>(init); }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Span<const std::string> strings = x.flat<std::string>();
    const size_t bytes = strings.empty() ? 0 : strings[0].size();
    for (size_t i = 0; i < strings.size(); ++i) {
      if (strings[i].size() == bytes) continue;
      return InvalidArgument(
          "DecodeRaw requires input strings to all be the same size, but element ", i, " has size ",
          bytes, " != ", strings[i].size());
    }
    if (bytes % size_ != 0) {
      return InvalidArgument("Input to DecodeRaw has length ", bytes, " that is not a multiple of ",
                             size_, ", the size of ", DTypeName(type_));
    }
    WB_ASSIGN_OR_RETURN(Shape shape, WithElements(x.shape(), static_cast<int64_t>(bytes / size_)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    char* out = static_cast<char*>(y->raw_data());
    for (const std::string& s : strings) {
      if (bytes > 0) memcpy(out, s.data(), bytes);
      out += bytes;
    }
    return Finish(static_cast<char*>(y->raw_data()), bytes * strings.size());
  }
};

class DecodePaddedRawKernel final : public RawKernel {
 public:
  using RawKernel::RawKernel;
  static auto Create(KernelInit& init) { return CreateRaw<DecodePaddedRawKernel>(init); }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Tensor& length = ctx.input(1);
    if (length.num_elements() != 1) {
      return InvalidArgument("fixed_length must be a scalar, not of shape ",
                             length.shape().ToString());
    }
    const int64_t fixed = length.scalar<int32_t>();
    if (fixed <= 0) return InvalidArgument("fixed_length must be positive: ", fixed);
    if (fixed % static_cast<int64_t>(size_) != 0) {
      return InvalidArgument("fixed_length (", fixed, ") must be a multiple of the ", size_,
                             " bytes of ", DTypeName(type_));
    }
    const size_t width = static_cast<size_t>(fixed);
    WB_ASSIGN_OR_RETURN(Shape shape, WithElements(x.shape(), fixed / static_cast<int64_t>(size_)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    char* out = static_cast<char*>(y->raw_data());
    for (const std::string& s : x.flat<std::string>()) {
      const size_t have = std::min(s.size(), width);
      memcpy(out, s.data(), have);
      memset(out + have, 0, width - have);
      out += width;
    }
    return Finish(static_cast<char*>(y->raw_data()), y->bytes());
  }
};

// The strings' shape and one more extent, known or not.
Status RawShape(ShapeContext& c, int64_t extent) {
  if (!c.input(0).has_rank()) return OkStatus();
  std::vector<int64_t> dims = c.input(0).dims();
  dims.push_back(extent);
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}
Status DecodeRawShape(ShapeContext& c) { return RawShape(c, -1); }
Status DecodePaddedRawShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(DType type, c.attr<DType>("out_type"));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<int64_t> length = c.ConstantScalar(1);
  if (length && *length <= 0) return InvalidArgument("fixed_length must be positive: ", *length);
  const int64_t size = static_cast<int64_t>(DTypeSize(type));
  if (length && *length % size != 0) {
    return InvalidArgument("fixed_length (", *length, ") must be a multiple of the ", size,
                           " bytes of ", DTypeName(type));
  }
  return RawShape(c, length ? *length / size : -1);
}

WB_OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, "
        "complex128, bool, bfloat16}")
    .Attr("little_endian: bool = true")
    .Shape(DecodeRawShape);
WB_KERNEL("DecodeRaw", DecodeRawKernel).Cpu({{"out_type", kRawTypes}});
WB_NO_GRADIENT("DecodeRaw");

WB_OP("DecodePaddedRaw")
    .Input("input_bytes: string")
    .Input("fixed_length: int32")
    .Output("output: out_type")
    .Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}")
    .Attr("little_endian: bool = true")
    .Shape(DecodePaddedRawShape);
WB_KERNEL("DecodePaddedRaw", DecodePaddedRawKernel).Cpu({{"out_type", kPaddedRawTypes}});
WB_NO_GRADIENT("DecodePaddedRaw");

}  // namespace
}  // namespace warpbeam
