#include "runtime/lower/repetition.h"

namespace warpbeam {

std::optional<GpuProgram::Repetition> RepetitionOf(const Shape& from, const Shape& to) {
  const int64_t count = to.num_elements();
  if (from.rank() > to.rank() || count <= 0 || count >= int64_t{1} << 30) return std::nullopt;
  GpuProgram::Repetition repetition;
  // From the innermost dimension outwards: those that repeat, those that do not, and again those
  // that repeat.
  bool is_kept = false, is_over = false;
  for (int i = 1; i <= to.rank(); ++i) {
    const int64_t wanted = to.dim(to.rank() - i);
    const int64_t given = i <= from.rank() ? from.dim(from.rank() - i) : 1;
    if (given != wanted && given != 1) return std::nullopt;
    if (wanted == 1) continue;
    if (given == 1) {
      is_over = is_kept;
      if (!is_kept) repetition.run *= static_cast<uint32_t>(wanted);
    } else {
      if (is_over) return std::nullopt;
      is_kept = true;
      repetition.period *= static_cast<uint32_t>(wanted);
    }
  }
  return repetition;
}

}  // namespace warpbeam
