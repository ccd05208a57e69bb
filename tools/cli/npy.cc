#include "tools/cli/npy.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "frontend/npy/npy.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace cli {
namespace {

Status FileError(const char* what, const std::string& path) {
  const int error = errno;
  const std::string message = absl::StrCat("cannot ", what, " '", path, "': ", strerror(error));
  return error == ENOENT ? NotFound(message) : FailedPrecondition(message);
}

}  // namespace

StatusOr<Tensor> ReadNpy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError("open", path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  auto tensor = frontend::ParseNpy(bytes.str());
  if (!tensor.ok()) return Annotate(tensor.status(), path);
  return tensor;
}

Status WriteNpy(const Tensor& tensor, const std::string& path) {
  const auto bytes = frontend::FormatNpy(tensor);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return FileError("create", path);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  return file ? OkStatus() : FileError("write", path);
}

}  // namespace cli
}  // namespace warpbeam
