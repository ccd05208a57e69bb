// DoublesOnGpu: uniform and normal values of a stretch of a stream, as the host's StreamDoubles
// gives them.
//
//   DoublesOnGpu doubles(state);                           // in namespace warpbeam::WB_PASS
//   const double u = doubles.Uniform(), z = doubles.Normal();
//
// Thread safety: one thread. Errors: none.
#ifndef WARPBEAM_OPS_RANDOM_GPU_DOUBLES_ON_GPU_H_
#define WARPBEAM_OPS_RANDOM_GPU_DOUBLES_ON_GPU_H_

#include <cstdint>

#include "ops/random/philox_rounds.h"
#include "ops/random/random_values.h"

namespace warpbeam::WB_PASS {

class DoublesOnGpu {
 public:
  WB_HD explicit DoublesOnGpu(const PhiloxState& state) : state_(state) {}

  WB_HD double Uniform() {
    if (uniforms_left_ == 0) {
      Draw(&uniforms_[0], &uniforms_[1]);
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }
  WB_HD double Normal() {
    if (normals_left_ == 0) {
      double u, v;
      Draw(&u, &v);
      NormalPairOf(u, v, &normals_[0], &normals_[1]);
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }
  WB_HD bool IsOver() const { return false; }

 private:
  WB_HD void Draw(double* first, double* second) {
    uint32_t numbers[4];
    PhiloxRounds(state_.key, state_.counter, numbers);
    SkipBlocks(state_.counter, 1);
    *first = UniformOf<double>(numbers);
    *second = UniformOf<double>(numbers + 2);
  }

  PhiloxState state_;
  double uniforms_[2], normals_[2];
  int uniforms_left_ = 0, normals_left_ = 0;
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_RANDOM_GPU_DOUBLES_ON_GPU_H_
