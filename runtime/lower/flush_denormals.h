// FlushDenormals: while it lives, the calling thread takes and gives 0 for numbers too small for a
// float's or a double's normal form, as TensorFlow's kernels do.
//
// Such numbers cost some processors a hundred times as much; decaying averages and squashed
// activations are full of them late in a training. Threads of worker pools do so always; a user's
// thread only while it runs a step, and gets back the mode that it had.
//
//   const FlushDenormals flush;
//
// Thread safety: of the thread that made it, which must also destroy it. Errors: none; does nothing
// on processors without such a mode.
#ifndef WARPBEAM_RUNTIME_LOWER_FLUSH_DENORMALS_H_
#define WARPBEAM_RUNTIME_LOWER_FLUSH_DENORMALS_H_

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpbeam {

class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults | kZeroInputs); }
  ~FlushDenormals() { _mm_setcsr((_mm_getcsr() & ~(kFlushResults | kZeroInputs)) | Kept()); }
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kFlushResults = 0x8000, kZeroInputs = 0x0040;
  unsigned Kept() const { return before_ & (kFlushResults | kZeroInputs); }
  const unsigned before_;
#endif
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_FLUSH_DENORMALS_H_
