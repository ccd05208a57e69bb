// LimitBlocks: how much one `new` may ask for in a program with the driver linked in.
//
//   LimitBlocks(size_t{512} << 20);      // a `new` of more ends the program and says so
//
// With exceptions nobody catches, a failed `new` is a crash: it is made to show as one, and at a
// size that does not need the machine's memory to be full. `new (std::nothrow)` returns null.
//
// The operators are in a file of their own, which no other code of theirs is inlined into.
//
// Thread safety: any thread.
#ifndef WARPBEAM_TESTS_FUZZ_BLOCK_LIMIT_H_
#define WARPBEAM_TESTS_FUZZ_BLOCK_LIMIT_H_

#include <cstddef>

namespace warpbeam {
namespace fuzz {

// SIZE_MAX, as at the start: no limit.
void LimitBlocks(size_t bytes);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_BLOCK_LIMIT_H_
