// TFRecord files (event files too) as records that a mutator can change, and that become a file
// with the right checksums again.
//
//   std::string file = MutateRecords(random, bytes, /*max_size=*/1 << 16);
//
// Thread safety: pure. Errors: none; what has no records is changed as bytes.
#ifndef WARPBEAM_TESTS_FUZZ_RECORD_IMAGE_H_
#define WARPBEAM_TESTS_FUZZ_RECORD_IMAGE_H_

#include <string>

#include "tests/fuzz/random_source.h"

namespace warpbeam {
namespace fuzz {

std::string MutateRecords(RandomSource& random, std::string file, size_t max_size);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_RECORD_IMAGE_H_
