#include "examples/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace warpbeam {
namespace examples {

Progress::Progress(int64_t steps)
    : steps_(std::max<int64_t>(steps, 1)), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::Show(int64_t step, float loss, double examples_per_second) {
  constexpr int kWidth = 30;
  const auto now = std::chrono::steady_clock::now();
  const bool end = step >= steps_;
  if (!terminal_ || (drawn_ && !end && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  drawn_ = true;
  const int64_t filled = std::min<int64_t>(kWidth, step * kWidth / steps_);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, ' ');
  std::fprintf(stderr, "\r[%s] step %lld/%lld  loss %.3f  %.0f examples/s\033[K", bar.c_str(),
               static_cast<long long>(step), static_cast<long long>(steps_), loss,
               examples_per_second);
  std::fflush(stderr);
}

void Progress::Clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace examples
}  // namespace warpbeam
