// NumPy's .npy files, as the command line reads them. What is read is written and read again.
#include <cstdlib>

#include "frontend/npy/npy.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using warpbeam::Tensor;
  const warpbeam::StatusOr<Tensor> read =
      warpbeam::frontend::ParseNpy({reinterpret_cast<const char*>(data), size});
  if (!read.ok()) return 0;
  const warpbeam::StatusOr<std::string> written = warpbeam::frontend::FormatNpy(*read);
  if (!written.ok()) return 0;
  const warpbeam::StatusOr<Tensor> again = warpbeam::frontend::ParseNpy(*written);
  if (!again.ok() || again->shape() != read->shape()) abort();
  return 0;
}
