// Distributions: what turns the numbers of a Philox stream into values.
//
//   WB_RETURN_IF_ERROR(FillRandom(ctx, Distribution::kNormal, stream, y));
//   WB_RETURN_IF_ERROR(FillRandomInts(ctx, stream, minval, maxval, y));
//
// One block of four numbers gives four values of 32 bits or less, or two of 64 bits. Uniform and
// integer values equal TensorFlow's bit by bit, normal ones to a few units in the last place:
//
//   uniform    the lowest bits as the mantissa of a number in [1, 2), minus 1
//   normal     Box and Muller, "A note on the generation of random normal deviates" (1958), two
//              values from two uniform ones; 16-bit types compute as float
//   truncated  normal values, drawn again until they lie within (-2, 2), equal to TensorFlow's bit
//              by bit. Each group of values has its own stretch of the stream, so that groups do
//              not depend on each other
//   integers   minval + number mod (maxval - minval), in unsigned arithmetic
//   all bits   the numbers themselves
//
// The result does not depend on how many threads compute it. Thread safety: pure.
#ifndef WARPBEAM_OPS_RANDOM_DISTRIBUTIONS_H_
#define WARPBEAM_OPS_RANDOM_DISTRIBUTIONS_H_

#include <array>

#include "graph/types/tensor.h"
#include "ops/random/philox.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

enum class Distribution { kUniform, kNormal, kTruncatedNormal, kAllBits };

// Fills `y`: a floating type, for kAllBits an integer type of 32 or 64 bits.
Status FillRandom(KernelContext& ctx, Distribution distribution, const Philox& stream, Tensor* y);
// Integers of [minval, maxval); the bounds are scalars of y's dtype. INVALID_ARGUMENT when that is
// empty and `y` is not.
Status FillRandomInts(KernelContext& ctx, const Philox& stream, const Tensor& minval,
                      const Tensor& maxval, Tensor* y);

// The values of one block, in order: four of a floating type of 32 bits or less, two of double. The
// normal ones equal TensorFlow's bit by bit.
template <typename T>
using BlockValues = std::array<T, sizeof(T) == 8 ? 2 : 4>;
template <typename T>
BlockValues<T> UniformBlock(Philox& stream);
template <typename T>
BlockValues<T> NormalBlock(Philox& stream);

// Single values, from the upper numbers to the lower: a float of [0, 1), a double of [0, 1), the
// two normal values of two uniform ones.
float UniformFloat(uint32_t number);
double UniformDouble(uint32_t upper, uint32_t lower);
void NormalPair(double u, double v, double* first, double* second);
void NormalPair(float u, float v, float* first, float* second);

// One value at a time, the last of each block first: how TensorFlow's rejection loops draw them.
class UniformDoubles {
 public:
  double Next(Philox& stream);

 private:
  double values_[2] = {};
  int left_ = 0;
};
class NormalDoubles {
 public:
  double Next(Philox& stream);

 private:
  double values_[2] = {};
  int left_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_DISTRIBUTIONS_H_
