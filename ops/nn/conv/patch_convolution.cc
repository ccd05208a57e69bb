// Convolutions as matrix products: every place of the window is a row of a matrix of patches.

#include <algorithm>
#include <cstring>

#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/gemm.h"
#include "ops/nn/conv/convolution.h"

namespace warpbeam::host_pass {
namespace {

// The places [first, last) of one image's window, and one group of its channels.
struct Patches {
  const ConvGeometry& g;
  int64_t first;
  int64_t last;
  int64_t group;

  int64_t width() const { return g.taps() * g.group_inputs(); }

  // fn(row of the patch matrix, column, offset in the image or -1) for every tap.
  template <class Fn>
  void ForEachTap(Fn fn) const {
    const int64_t channels = g.group_inputs();
    for (int64_t place = first; place < last; ++place) {
      const int64_t x = place % g.output[2], y = place / g.output[2] % g.output[1];
      const int64_t z = place / (g.output[2] * g.output[1]);
      int64_t column = 0;
      for (int64_t i = 0; i < g.filter[0]; ++i) {
        const int64_t iz = z * g.stride[0] - g.before[0] + i * g.dilation[0];
        for (int64_t j = 0; j < g.filter[1]; ++j) {
          const int64_t iy = y * g.stride[1] - g.before[1] + j * g.dilation[1];
          for (int64_t k = 0; k < g.filter[2]; ++k, column += channels) {
            const int64_t ix = x * g.stride[2] - g.before[2] + k * g.dilation[2];
            const bool inside = iz >= 0 && iz < g.input[0] && iy >= 0 && iy < g.input[1] &&
                                ix >= 0 && ix < g.input[2];
            const int64_t pixel = (iz * g.input[1] + iy) * g.input[2] + ix;
            fn(place - first, column, inside ? pixel * g.in_channels + group * channels : -1);
          }
        }
      }
    }
  }
};

template <class T>
void Gather(const Patches& p, const T* image, T* matrix) {
  const int64_t channels = p.g.group_inputs(), width = p.width();
  p.ForEachTap([&](int64_t row, int64_t column, int64_t offset) {
    T* to = matrix + row * width + column;
    if (offset >= 0) {
      std::copy_n(image + offset, channels, to);
    } else {
      std::fill_n(to, channels, T(0));
    }
  });
}

template <class T>
void ScatterAdd(const Patches& p, const T* matrix, T* image) {
  const int64_t channels = p.g.group_inputs(), width = p.width();
  p.ForEachTap([&](int64_t row, int64_t column, int64_t offset) {
    if (offset < 0) return;
    const T* from = matrix + row * width + column;
    T* to = image + offset;
    for (int64_t c = 0; c < channels; ++c) to[c] = Plus(to[c], from[c]);
  });
}

// Rows of `columns` elements between matrices of different row lengths.
template <class T>
void CopyRows(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
              int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(from + i * from_stride, columns, to + i * to_stride);
  }
}

template <class T>
class PatchProduct {
 public:
  PatchProduct(KernelContext& ctx, DType dtype, const ConvGeometry& g)
      : ctx_(ctx), dtype_(dtype), g_(g) {}

  absl::Status Allocate() {
    // About as many places at a time as stay in the second-level cache.
    constexpr int64_t kElements = 1 << 17;
    const int64_t width = g_.taps() * g_.group_inputs();
    places_ = std::clamp<int64_t>(kElements / width, 1, g_.output_pixels());
    WB_ASSIGN_OR_RETURN(patches_, ctx_.AllocateTemp(dtype_, Shape({places_, width})));
    WB_ASSIGN_OR_RETURN(results_, ctx_.AllocateTemp(dtype_, Shape({places_, g_.group_outputs()})));
    WB_ASSIGN_OR_RETURN(filter_, ctx_.AllocateTemp(dtype_, Shape({width, g_.group_outputs()})));
    return absl::OkStatus();
  }

  absl::Status Forward(const T* input, const T* filter, T* output) {
    return ForEachBlock([&](const Patches& p, int64_t image) -> absl::Status {
      PackFilter(filter, p.group);
      Gather(p, input + image * g_.input_pixels() * g_.in_channels, patches_.data<T>());
      GemmProblem problem;
      problem.m = p.last - p.first;
      problem.n = g_.group_outputs();
      problem.k = p.width();
      WB_RETURN_IF_ERROR(Gemm(ctx_, dtype_, problem, patches_.raw_data(), filter_.raw_data(),
                              results_.raw_data()));
      CopyRows(results_.data<T>(), g_.group_outputs(), output + OutputOffset(p, image),
               g_.out_channels, problem.m, problem.n);
      return absl::OkStatus();
    });
  }

  absl::Status BackwardInput(const T* dy, const T* filter, T* dx) {
    std::fill_n(dx, g_.input_elements(), T(0));
    return ForEachBlock([&](const Patches& p, int64_t image) -> absl::Status {
      PackFilter(filter, p.group);
      GemmProblem problem;
      problem.m = p.last - p.first;
      problem.n = p.width();
      problem.k = g_.group_outputs();
      problem.transpose_b = true;
      CopyRows(dy + OutputOffset(p, image), g_.out_channels, results_.data<T>(), problem.k,
               problem.m, problem.k);
      WB_RETURN_IF_ERROR(Gemm(ctx_, dtype_, problem, results_.raw_data(), filter_.raw_data(),
                              patches_.raw_data()));
      ScatterAdd(p, patches_.data<T>(), dx + image * g_.input_pixels() * g_.in_channels);
      return absl::OkStatus();
    });
  }

  absl::Status BackwardFilter(const T* input, const T* dy, T* dfilter) {
    std::fill_n(dfilter, g_.filter_elements(), T(0));
    return ForEachBlock([&](const Patches& p, int64_t image) -> absl::Status {
      Gather(p, input + image * g_.input_pixels() * g_.in_channels, patches_.data<T>());
      GemmProblem problem;
      problem.m = p.width();
      problem.n = g_.group_outputs();
      problem.k = p.last - p.first;
      problem.transpose_a = true;
      CopyRows(dy + OutputOffset(p, image), g_.out_channels, results_.data<T>(), problem.n,
               problem.k, problem.n);
      WB_RETURN_IF_ERROR(Gemm(ctx_, dtype_, problem, patches_.raw_data(), results_.raw_data(),
                              filter_.raw_data()));
      const T* from = filter_.data<T>();
      for (int64_t row = 0; row < problem.m; ++row, from += problem.n) {
        T* to = dfilter + row * g_.out_channels + p.group * problem.n;
        for (int64_t o = 0; o < problem.n; ++o) to[o] = Plus(to[o], from[o]);
      }
      return absl::OkStatus();
    });
  }

 private:
  template <class Fn>
  absl::Status ForEachBlock(Fn fn) {
    for (int64_t group = 0; group < g_.groups; ++group) {
      for (int64_t image = 0; image < g_.batch; ++image) {
        for (int64_t first = 0; first < g_.output_pixels(); first += places_) {
          const Patches p{g_, first, std::min(g_.output_pixels(), first + places_), group};
          WB_RETURN_IF_ERROR(fn(p, image));
        }
      }
    }
    return absl::OkStatus();
  }
  int64_t OutputOffset(const Patches& p, int64_t image) const {
    return (image * g_.output_pixels() + p.first) * g_.out_channels + p.group * g_.group_outputs();
  }
  void PackFilter(const T* filter, int64_t group) {
    if (packed_group_ == group) return;
    packed_group_ = group;
    CopyRows(filter + group * g_.group_outputs(), g_.out_channels, filter_.data<T>(),
             g_.group_outputs(), g_.taps() * g_.group_inputs(), g_.group_outputs());
  }

  KernelContext& ctx_;
  const DType dtype_;
  const ConvGeometry& g_;
  int64_t places_ = 1;  // of the window, in a block
  int64_t packed_group_ = -1;
  Tensor patches_, results_, filter_;
};

}  // namespace
}  // namespace warpbeam::host_pass

namespace warpbeam {

absl::Status PatchConvolution(KernelContext& ctx, ConvPass pass, DType dtype, const ConvGeometry& g,
                              const void* a, const void* b, void* result) {
  return DispatchTypes<float, double, int32_t>(dtype, [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    host_pass::PatchProduct<T> product(ctx, dtype, g);
    WB_RETURN_IF_ERROR(product.Allocate());
    const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
    T* to = static_cast<T*>(result);
    if (pass == ConvPass::kForward) return product.Forward(x, y, to);
    if (pass == ConvPass::kBackwardInput) return product.BackwardInput(x, y, to);
    return product.BackwardFilter(x, y, to);
  });
}

}  // namespace warpbeam
