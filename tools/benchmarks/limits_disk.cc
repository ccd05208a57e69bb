#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tools/benchmarks/limits.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr size_t kFileBytes = size_t{500} << 20;
constexpr size_t kPieceBytes = size_t{20} << 20;
constexpr const char* kFile = "limits_disk";

// Whether all of it got there.
bool WriteFile(const char* data, int flags) {
  const int file = open(kFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0666);
  if (file < 0) return false;
  bool is_whole = true;
  for (size_t at = 0; at < kFileBytes && is_whole; at += kPieceBytes) {
    is_whole = write(file, data + at, kPieceBytes) == static_cast<ssize_t>(kPieceBytes);
    if (flags == 0) {
      sync_file_range(file, static_cast<off_t>(at), kPieceBytes, SYNC_FILE_RANGE_WRITE);
    }
  }
  is_whole = is_whole && fsync(file) == 0;
  close(file);
  return is_whole;
}

void Measure(const char* name, const char* data, int flags) {
  bool is_whole = true;
  const double seconds = MedianSeconds(3, [&] {
    unlink(kFile);
    is_whole = is_whole && WriteFile(data, flags);
  });
  unlink(kFile);
  if (is_whole) PrintMetric(name, static_cast<double>(kFileBytes) / seconds / 1e9, "GB/s");
}

}  // namespace

void MeasureDisk() {
  struct Free {
    void operator()(char* p) const { free(p); }
  };
  const std::unique_ptr<char, Free> data(static_cast<char*>(aligned_alloc(4096, kFileBytes)));
  if (data == nullptr) return;
  // Nothing that a disk could compress.
  uint64_t state = 12345;
  for (size_t i = 0; i < kFileBytes; i += sizeof(state)) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    memcpy(data.get() + i, &state, sizeof(state));
  }
  Measure("limit.disk_direct", data.get(), O_DIRECT);
  Measure("limit.disk_cached", data.get(), 0);
}

}  // namespace benchmarks
}  // namespace warpbeam
