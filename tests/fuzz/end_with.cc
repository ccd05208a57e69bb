#include "tests/fuzz/end_with.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" void __sanitizer_print_stack_trace();
#endif

namespace warpbeam {
namespace fuzz {

void WriteText(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  static_cast<void>(written);
}

void EndWith(const char* why) {
  WriteText(why);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_print_stack_trace();
#endif
  abort();
}

}  // namespace fuzz
}  // namespace warpbeam
