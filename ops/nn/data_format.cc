// DataFormatDimMap and DataFormatVecPermute: numbers of dimensions, and lists with one number a
// dimension, from one data format to another.
#include "ops/nn/data_format.h"

#include <algorithm>
#include <memory>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<Formats> ReadFormats(const KernelInit& init) {
  Formats f;
  WB_ASSIGN_OR_RETURN(f.from, init.attr<std::string>("src_format"));
  WB_ASSIGN_OR_RETURN(f.to, init.attr<std::string>("dst_format"));
  for (const std::string& format : {f.from, f.to}) {
    if (format.size() != 4 && format.size() != 5) {
      return InvalidArgument("a data format has 4 or 5 letters, but one is '", format, "'");
    }
  }
  std::string a = f.from, b = f.to;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a != b || std::adjacent_find(a.begin(), a.end()) != a.end()) {
    return InvalidArgument("the data formats must have the same letters, each once, but are '",
                           f.from, "' and '", f.to, "'");
  }
  return f;
}

std::vector<int> MappedPlaces(const Formats& formats) {
  std::vector<int> places;
  for (const char letter : formats.from) {
    places.push_back(static_cast<int>(formats.to.find(letter)));
  }
  return places;
}

StatusOr<std::vector<int>> PermutedPlaces(const Formats& formats, const Shape& shape) {
  const auto rank = static_cast<int64_t>(formats.from.size());
  if (shape.rank() != 1 && shape.rank() != 2) {
    return InvalidArgument("a list for dimensions must be a vector or a matrix, but has shape ",
                           shape.ToString());
  }
  if ((shape.dim(0) != rank && shape.dim(0) != rank - 2) ||
      (shape.rank() == 2 && shape.dim(1) != 2)) {
    return InvalidArgument("there must be ", rank, " or ", rank - 2,
                           " numbers, or pairs of numbers, but the shape is ", shape.ToString());
  }
  std::string from = formats.from, to = formats.to;
  if (shape.dim(0) == rank - 2) {
    for (std::string* format : {&from, &to}) {
      format->erase(std::remove_if(format->begin(), format->end(),
                                   [](char c) { return c == 'N' || c == 'C'; }),
                    format->end());
    }
    if (static_cast<int64_t>(from.size()) != rank - 2) {
      return InvalidArgument("the data format '", formats.from, "' has no N or no C");
    }
  }
  std::vector<int> places;
  for (const char letter : to) places.push_back(static_cast<int>(from.find(letter)));
  return places;
}

namespace {

class DimMapKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const Formats formats, ReadFormats(init));
    return std::make_unique<DimMapKernel>(MappedPlaces(formats));
  }
  explicit DimMapKernel(std::vector<int> places) : places_(std::move(places)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Shape shape = x.shape();
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, shape));
    return DispatchIndex(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T n = static_cast<T>(places_.size());
      // Numbers outside count around, as negative ones do.
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        y->data<T>()[i] = static_cast<T>(places_[(x.data<T>()[i] % n + n) % n]);
      }
      return OkStatus();
    });
  }

 private:
  const std::vector<int> places_;
};

class VecPermuteKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const Formats f, ReadFormats(init));
    return std::make_unique<VecPermuteKernel>(f);
  }
  explicit VecPermuteKernel(const Formats& formats) : formats_(formats) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const std::vector<int> places, PermutedPlaces(formats_, x.shape()));
    const int64_t width = x.rank() == 2 ? 2 : 1;
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    return DispatchIndex(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (size_t i = 0; i < places.size(); ++i) {
        std::copy_n(x.data<T>() + places[i] * width, width, y->data<T>() + i * width);
      }
      return OkStatus();
    });
  }

 private:
  const Formats formats_;
};

}  // namespace

WB_OP("DataFormatDimMap")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = int32")
    .Attr("src_format: string = 'NHWC'")
    .Attr("dst_format: string = 'NCHW'")
    .Shape(shapes::Unchanged);
WB_OP("DataFormatVecPermute")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = int32")
    .Attr("src_format: string = 'NHWC'")
    .Attr("dst_format: string = 'NCHW'")
    .Shape(shapes::Unchanged);
WB_KERNEL("DataFormatDimMap", DimMapKernel).Cpu({{"T", kIndexTypes}}).Gpu({{"T", kIndexTypes}});
WB_KERNEL("DataFormatVecPermute", VecPermuteKernel)
    .Cpu({{"T", kIndexTypes}})
    .Gpu({{"T", kIndexTypes}});

}  // namespace warpbeam
