// CheckMessage: a fuzz target's look at what it was told. However large an input, the message about
// it is one that somebody may read, log and send.
//
//   CheckMessage(session->Run(...));
//
// Thread safety: pure. Errors: a message of more than kLongestMessage ends the process.
#ifndef WARPBEAM_TESTS_FUZZ_MESSAGE_CHECK_H_
#define WARPBEAM_TESTS_FUZZ_MESSAGE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#include "graph/types/errors.h"

namespace warpbeam {
namespace fuzz {

inline constexpr size_t kLongestMessage = 32 << 10;

inline void CheckMessage(const Status& status) {
  if (status.message().size() <= kLongestMessage) return;
  fprintf(stderr, "a message of %zu bytes: %.300s...\n", status.message().size(),
          std::string(status.message()).c_str());
  abort();
}

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_MESSAGE_CHECK_H_
