// Gives the machine four GPUs, before main, for tests that take what there is.
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam::cuda_stand_in {
namespace {

[[maybe_unused]] const bool are_there = [] {
  SetGpus(4);
  return true;
}();

}  // namespace
}  // namespace warpbeam::cuda_stand_in
