// EndWith: ends a program that found something wrong, with nothing that needs memory.
//
//   EndWith("the input takes too long\n");
//
// Thread safety: any thread, and signal handlers.
#ifndef WARPBEAM_TESTS_FUZZ_END_WITH_H_
#define WARPBEAM_TESTS_FUZZ_END_WITH_H_

namespace warpbeam {
namespace fuzz {

// To the standard error.
void WriteText(const char* text);
// Writes `why`, under a sanitizer the stack too, and aborts.
[[noreturn]] void EndWith(const char* why);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_END_WITH_H_
