#include "tests/fuzz/end_with.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#ifdef WB_UNDER_SANITIZER
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
#ifdef WB_UNDER_SANITIZER
  __sanitizer_print_stack_trace();
#endif
  abort();
}

}  // namespace fuzz
}  // namespace warpbeam
