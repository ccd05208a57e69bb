// Convolutions as cuDNN describes them, computed on the host: as products of matrices whose columns
// are what each window sees.
//
//   std::string wrong = CheckSizes(convolution);       // empty: nothing
//   Convolve(convolution, {x, w, y}, /*tensor_float_32=*/false);
//
// Thread safety: pure functions.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_CONVOLVE_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_CONVOLVE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace warpbeam::cuda_stand_in {

enum class CudnnElement { kHalf, kBFloat16, kFloat, kDouble };

int64_t BytesOf(CudnnElement element);

// Dimensions are [batch, channels, spatial axes] whatever the order in memory; a filter's are
// [output channels, channels of a group, spatial axes].
struct CudnnOperand {
  CudnnElement element;
  int64_t id = 0;
  int64_t alignment = 0;
  bool is_virtual = false;  // it goes from one operation to the next and has no address
  std::vector<int64_t> dimensions, strides;

  int64_t bytes() const;  // from the first element to behind the last
  std::vector<int64_t> spatial() const { return {dimensions.begin() + 2, dimensions.end()}; }
};

// By spatial axis.
struct CudnnWindow {
  bool sums_doubles = false;  // else floats
  std::vector<int64_t> strides, dilations, before, after;
};

struct CudnnConvolution {
  enum Result { kInput, kFilter, kOutput };
  Result result = kOutput;  // which of the three is written
  CudnnOperand input, filter, output;
  CudnnWindow window;
  double factor = 1, factor_of_old = 0;  // result = factor * sums + factor_of_old * result
  // What is done to the output before it is rounded: a vector along its channels is added, and what
  // is negative becomes 0.
  bool has_bias = false, has_relu = false;
  CudnnOperand bias;
};

// What does not go together.
std::string CheckSizes(const CudnnConvolution& convolution);

struct CudnnAddresses {
  void *input, *filter, *output, *bias;
};
void Convolve(const CudnnConvolution& convolution, const CudnnAddresses& at, bool tensor_float_32);

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_CONVOLVE_H_
