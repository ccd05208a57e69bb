// What a fuzz target defines: libFuzzer's entry points, and two of our own driver's.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
//     ParseNpy({reinterpret_cast<const char*>(data), size}).IgnoreError();
//     return 0;
//   }
//
// Only LLVMFuzzerTestOneInput must be there. A target links the driver (driver_main.cc), or
// libFuzzer's. Thread safety: everything is called from one thread. Errors: a target finds a fault
// by ending the process.
#ifndef WARPBEAM_TESTS_FUZZ_TARGET_H_
#define WARPBEAM_TESTS_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/types/errors.h"

extern "C" {

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Changes the input in place, which has room for `max_size` bytes, and returns its new size. Where
// it is missing, bytes are changed without knowledge of the format.
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                                     unsigned int seed);
// Makes an input of two.
__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                                       const uint8_t* data2, size_t size2,
                                                       uint8_t* out, size_t max_out_size,
                                                       unsigned int seed);

}  // extern "C"

namespace warpbeam {
namespace fuzz {

// The inputs in a file of many (its name ends in .gz).
__attribute__((weak)) StatusOr<std::vector<std::string>> ReadSeedPack(const std::string& path);

// Adds lines to what the driver says at the end. False: the runs were not good enough, and `text`
// says why.
__attribute__((weak)) bool SummarizeRuns(std::string* text);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_TARGET_H_
