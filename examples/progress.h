// Progress: a line that shows how far training is, on terminals only.
//
//   Progress progress(steps);
//   progress.Show(step, loss, examples_per_second);
//   progress.Clear();                                  // before printing anything else
//
// Draws at most ten times a second, on stderr; in a pipe it does nothing. Thread safety: one
// thread. Errors: none.
#ifndef WARPBEAM_EXAMPLES_PROGRESS_H_
#define WARPBEAM_EXAMPLES_PROGRESS_H_

#include <chrono>
#include <cstdint>

namespace warpbeam {
namespace examples {

class Progress {
 public:
  explicit Progress(int64_t steps);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(int64_t step, float loss, double examples_per_second);
  void Clear();

 private:
  const int64_t steps_;
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_PROGRESS_H_
