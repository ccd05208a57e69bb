// Changes bytes without knowledge of their format: what targets without a mutator of their own get,
// and the coarse part of those that have one.
//
//   MutateBytes(random, /*max_size=*/4096, &bytes);
//   bytes = CrossBytes(random, bytes, other, 4096);
//
// Thread safety: pure. Errors: none; the result is never longer than `max_size`.
#ifndef WARPBEAM_TESTS_FUZZ_BYTE_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_BYTE_MUTATOR_H_

#include <string>

#include "tests/fuzz/random_source.h"

namespace warpbeam {
namespace fuzz {

// One change: a bit, a byte, a number at its limits, a piece cut out, doubled, moved or new.
void MutateBytes(RandomSource& random, size_t max_size, std::string* bytes);

// A piece of `other` in the place of a piece of `bytes`.
std::string CrossBytes(RandomSource& random, const std::string& bytes, const std::string& other,
                       size_t max_size);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_BYTE_MUTATOR_H_
