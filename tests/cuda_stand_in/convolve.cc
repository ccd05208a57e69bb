#include "tests/cuda_stand_in/convolve.h"

#include <Eigen/Core>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/cuda_stand_in/rounding.h"

namespace warpbeam::cuda_stand_in {
namespace {

int64_t Product(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{1}, std::multiplies<>());
}

// The next place of an axis-by-axis walk, the last axis first.
void Advance(const std::vector<int64_t>& extent, std::vector<int64_t>* place) {
  for (size_t i = extent.size(); i-- > 0;) {
    if (++(*place)[i] < extent[i]) return;
    (*place)[i] = 0;
  }
}

// How far each pixel is from the first one, in elements.
std::vector<int64_t> PixelOffsets(const CudnnOperand& x) {
  const std::vector<int64_t> extent = x.spatial();
  std::vector<int64_t> place(extent.size()), offsets(Product(extent));
  for (int64_t& offset : offsets) {
    for (size_t i = 0; i < place.size(); ++i) offset += place[i] * x.strides[2 + i];
    Advance(extent, &place);
  }
  return offsets;
}

// By window and tap: the pixel of the input that the tap falls on, -1 for padding.
std::vector<int64_t> PixelsSeen(const CudnnConvolution& c) {
  const std::vector<int64_t> in = c.input.spatial(), taps = c.filter.spatial(),
                             out = c.output.spatial();
  const CudnnWindow& w = c.window;
  std::vector<int64_t> window(out.size()), tap(out.size());
  std::vector<int64_t> seen(Product(out) * Product(taps));
  for (size_t at = 0; at < seen.size(); ++at) {
    int64_t pixel = 0;
    for (size_t i = 0; i < in.size() && pixel >= 0; ++i) {
      const int64_t place = window[i] * w.strides[i] - w.before[i] + tap[i] * w.dilations[i];
      pixel = place < 0 || place >= in[i] ? -1 : pixel * in[i] + place;
    }
    seen[at] = pixel;
    Advance(taps, &tap);
    if ((at + 1) % Product(taps) == 0) Advance(out, &window);
  }
  return seen;
}

template <class Sum>
using Matrix = Eigen::Matrix<Sum, Eigen::Dynamic, Eigen::Dynamic>;

// One convolution whose elements are T and whose sums are Sum, a group of one image at a time.
template <class T, class Sum>
class Convolver {
 public:
  Convolver(const CudnnConvolution& c, const CudnnAddresses& at, bool tensor_float_32)
      : c_(c),
        at_(at),
        rounds_(tensor_float_32),
        in_(PixelOffsets(c.input)),
        taps_(PixelOffsets(c.filter)),
        out_(PixelOffsets(c.output)),
        seen_(PixelsSeen(c)),
        group_inputs_(c.filter.dimensions[1]),
        groups_(c.input.dimensions[1] / c.filter.dimensions[1]),
        group_outputs_(c.filter.dimensions[0] / groups_) {}

  void Run() {
    for (int64_t group = 0; group < groups_; ++group) {
      Matrix<Sum> filter = Filter(group);
      if (c_.result == CudnnConvolution::kFilter) filter.setZero();
      for (int64_t image = 0; image < c_.input.dimensions[0]; ++image) {
        if (c_.result == CudnnConvolution::kOutput) {
          const Matrix<Sum> output = filter * Patches(image, group);
          PutOutput(output, image, group);
        } else if (c_.result == CudnnConvolution::kFilter) {
          filter += Output(image, group) * Patches(image, group).transpose();
        } else {
          const Matrix<Sum> patches = filter.transpose() * Output(image, group);
          PutPatches(patches, image, group);
        }
      }
      if (c_.result == CudnnConvolution::kFilter) PutFilter(filter, group);
    }
  }

 private:
  T& Element(void* base, const CudnnOperand& x, int64_t first, int64_t second, int64_t pixel) {
    return static_cast<T*>(base)[first * x.strides[0] + second * x.strides[1] + pixel];
  }
  void Put(T& element, Sum sum, int64_t channel = -1) {
    Sum value = static_cast<Sum>(c_.factor) * sum;
    if (c_.factor_of_old != 0) {
      value += static_cast<Sum>(c_.factor_of_old) * static_cast<Sum>(element);
    }
    if (channel >= 0 && c_.has_bias) {
      value += static_cast<Sum>(static_cast<const T*>(at_.bias)[channel]);
      if (c_.has_relu && value <= 0) value = 0;
    }
    element = static_cast<T>(value);
  }
  Matrix<Sum> Rounded(Matrix<Sum> values) const {
    if (rounds_) RoundToTensorFloat32(values.data(), values.size());
    return values;
  }
  // Rows are output channels; columns the taps, and of each the channels.
  T& FilterElement(int64_t group, int64_t row, int64_t column) {
    return Element(at_.filter, c_.filter, group * group_outputs_ + row, column % group_inputs_,
                   taps_[static_cast<size_t>(column / group_inputs_)]);
  }
  T& OutputElement(int64_t image, int64_t group, int64_t channel, int64_t pixel) {
    return Element(at_.output, c_.output, image, group * group_outputs_ + channel,
                   out_[static_cast<size_t>(pixel)]);
  }
  int64_t columns() const { return static_cast<int64_t>(taps_.size()) * group_inputs_; }
  int64_t windows() const { return static_cast<int64_t>(out_.size()); }

  Matrix<Sum> Filter(int64_t group) {
    Matrix<Sum> filter(group_outputs_, columns());
    for (int64_t j = 0; j < filter.cols(); ++j) {
      for (int64_t i = 0; i < filter.rows(); ++i) {
        filter(i, j) = static_cast<Sum>(FilterElement(group, i, j));
      }
    }
    return Rounded(std::move(filter));
  }
  void PutFilter(const Matrix<Sum>& filter, int64_t group) {
    for (int64_t j = 0; j < filter.cols(); ++j) {
      for (int64_t i = 0; i < filter.rows(); ++i) Put(FilterElement(group, i, j), filter(i, j));
    }
  }
  Matrix<Sum> Output(int64_t image, int64_t group) {
    Matrix<Sum> output(group_outputs_, windows());
    for (int64_t j = 0; j < output.cols(); ++j) {
      for (int64_t i = 0; i < output.rows(); ++i) {
        output(i, j) = static_cast<Sum>(OutputElement(image, group, i, j));
      }
    }
    return Rounded(std::move(output));
  }
  void PutOutput(const Matrix<Sum>& output, int64_t image, int64_t group) {
    for (int64_t j = 0; j < output.cols(); ++j) {
      for (int64_t i = 0; i < output.rows(); ++i) {
        Put(OutputElement(image, group, i, j), output(i, j), group * group_outputs_ + i);
      }
    }
  }
  Matrix<Sum> Patches(int64_t image, int64_t group) {
    Matrix<Sum> patches = Matrix<Sum>::Zero(columns(), windows());
    for (size_t at = 0; at < seen_.size(); ++at) {
      if (seen_[at] < 0) continue;
      Sum* const to = patches.data() + static_cast<int64_t>(at) * group_inputs_;
      for (int64_t i = 0; i < group_inputs_; ++i) {
        to[i] = static_cast<Sum>(Element(at_.input, c_.input, image, group * group_inputs_ + i,
                                         in_[static_cast<size_t>(seen_[at])]));
      }
    }
    return Rounded(std::move(patches));
  }
  // Adds up what windows that overlap have for a pixel.
  void PutPatches(const Matrix<Sum>& patches, int64_t image, int64_t group) {
    Matrix<Sum> sums = Matrix<Sum>::Zero(group_inputs_, static_cast<int64_t>(in_.size()));
    for (size_t at = 0; at < seen_.size(); ++at) {
      if (seen_[at] < 0) continue;
      const Sum* const from = patches.data() + static_cast<int64_t>(at) * group_inputs_;
      for (int64_t i = 0; i < group_inputs_; ++i) sums(i, seen_[at]) += from[i];
    }
    for (int64_t pixel = 0; pixel < sums.cols(); ++pixel) {
      for (int64_t i = 0; i < group_inputs_; ++i) {
        Put(Element(at_.input, c_.input, image, group * group_inputs_ + i,
                    in_[static_cast<size_t>(pixel)]),
            sums(i, pixel));
      }
    }
  }

  const CudnnConvolution& c_;
  const CudnnAddresses at_;
  const bool rounds_;
  const std::vector<int64_t> in_, taps_, out_, seen_;
  const int64_t group_inputs_, groups_, group_outputs_;
};

}  // namespace

int64_t BytesOf(CudnnElement element) {
  if (element == CudnnElement::kDouble) return 8;
  return element == CudnnElement::kFloat ? 4 : 2;
}

int64_t CudnnOperand::bytes() const {
  int64_t last = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) last += (dimensions[i] - 1) * strides[i];
  return (last + 1) * BytesOf(element);
}

std::string CheckSizes(const CudnnConvolution& c) {
  const size_t axes = c.window.strides.size();
  for (const CudnnOperand* x : {&c.input, &c.filter, &c.output}) {
    if (x->dimensions.size() != axes + 2) return "an operand of another rank than the windows";
    if (x->element != c.input.element && !x->is_virtual) return "operands of several types";
  }
  if (c.window.sums_doubles != (c.input.element == CudnnElement::kDouble)) {
    return "no such arithmetic";
  }
  const std::vector<int64_t>&in = c.input.dimensions, &filter = c.filter.dimensions,
        &out = c.output.dimensions;
  if (in[0] != out[0]) return "batches of two sizes";
  if (filter[0] != out[1]) return "the filter makes another number of channels";
  if (in[1] % filter[1] != 0 || filter[0] % (in[1] / filter[1]) != 0) return "uneven groups";
  for (size_t i = 0; i < axes; ++i) {
    const CudnnWindow& w = c.window;
    const int64_t reach = (filter[2 + i] - 1) * w.dilations[i] + 1;
    const int64_t room = in[2 + i] + w.before[i] + w.after[i] - reach;
    if (room < 0 || room / w.strides[i] + 1 != out[2 + i]) {
      return absl::StrCat("the output has ", out[2 + i], " places on axis ", i);
    }
  }
  return "";
}

void Convolve(const CudnnConvolution& c, const CudnnAddresses& at, bool tensor_float_32) {
  switch (c.input.element) {
    case CudnnElement::kHalf:
      return Convolver<Eigen::half, float>(c, at, false).Run();
    case CudnnElement::kBFloat16:
      return Convolver<Eigen::bfloat16, float>(c, at, false).Run();
    case CudnnElement::kFloat:
      return Convolver<float, float>(c, at, tensor_float_32).Run();
    case CudnnElement::kDouble:
      return Convolver<double, double>(c, at, false).Run();
  }
}

}  // namespace warpbeam::cuda_stand_in
