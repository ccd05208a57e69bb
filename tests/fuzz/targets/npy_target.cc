// NumPy's .npy files, as the command line reads them. What is read is written and read again.
#include <cstdlib>

#include "tests/fuzz/target.h"
#include "tools/cli/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using warpbeam::Tensor;
  const absl::StatusOr<Tensor> read =
      warpbeam::cli::ParseNpy({reinterpret_cast<const char*>(data), size});
  if (!read.ok()) return 0;
  const absl::StatusOr<std::string> written = warpbeam::cli::FormatNpy(*read);
  if (!written.ok()) return 0;
  const absl::StatusOr<Tensor> again = warpbeam::cli::ParseNpy(*written);
  if (!again.ok() || again->shape() != read->shape()) abort();
  return 0;
}
