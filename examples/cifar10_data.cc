#include "examples/cifar10_data.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace examples {
namespace {

namespace fs = std::filesystem;

constexpr int kFiles = 5;
constexpr int kExamplesPerFile = 400;
constexpr int kLabels = 10;
// Says that the files beside it are made.
constexpr char kMadeName[] = "made_by_warpbeam.txt";

std::string FileName(int number) { return absl::StrCat("data_batch_", number, ".bin"); }

uint8_t Pixel(double value) { return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)); }

// One record: the label's colour, its stripes over it, and noise.
std::string MakeRecord(int label, const double (&colour)[kCifar10Depth], std::mt19937& random) {
  std::normal_distribution<double> noise(0, 16);
  std::string record(1, static_cast<char>(label));
  const double angle = 0.3 * label, frequency = 0.25 + 0.12 * label;
  for (const double base : colour) {
    for (int y = 0; y < kCifar10Size; ++y) {
      for (int x = 0; x < kCifar10Size; ++x) {
        const double wave = std::sin((x * std::cos(angle) + y * std::sin(angle)) * frequency);
        record.push_back(static_cast<char>(Pixel(base + 38 * wave + noise(random))));
      }
    }
  }
  return record;
}

// Written beside the name and then given it, so that nobody reads half a file.
Status WriteFile(const fs::path& path, const std::string& bytes) {
  const fs::path beside = absl::StrCat(path.string(), ".", getpid());
  errno = 0;
  {
    std::ofstream file(beside, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      return ErrnoToStatus(errno != 0 ? errno : EIO,
                           absl::StrCat("cannot write ", beside.string()));
    }
  }
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) {
    return ErrnoToStatus(error.value(), absl::StrCat("cannot write ", path.string()));
  }
  return OkStatus();
}

Status MakeFiles(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return ErrnoToStatus(error.value(), absl::StrCat("cannot make ", folder.string()));
  }
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any_colour(40, 216);
  double colours[kLabels][kCifar10Depth];
  for (auto& colour : colours) {
    for (double& value : colour) value = any_colour(random);
  }
  for (int number = 1; number <= kFiles; ++number) {
    std::vector<std::string> records;
    for (int i = 0; i < kExamplesPerFile; ++i) {
      records.push_back(MakeRecord(i % kLabels, colours[i % kLabels], random));
    }
    std::shuffle(records.begin(), records.end(), random);
    std::string bytes;
    for (const std::string& record : records) bytes += record;
    const Status written = WriteFile(folder / FileName(number), bytes);
    if (!written.ok()) return written;
  }
  return WriteFile(folder / kMadeName, "Images that stand in for those of CIFAR-10.\n");
}

// The number of records of a file, if they are CIFAR-10's.
StatusOr<int64_t> CountRecords(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return NotFound("cannot read ", path.string());
  const int64_t size = file.tellg();
  if (size == 0 || size % kCifar10RecordBytes != 0) {
    return DataLoss(path.string(), " has ", size, " bytes, no whole number of records of ",
                    kCifar10RecordBytes, "; is it CIFAR-10's binary form?");
  }
  for (int64_t record = 0; record < size / kCifar10RecordBytes; ++record) {
    file.seekg(record * kCifar10RecordBytes);
    const int label = file.get();
    if (label < 0 || label >= kLabels) {
      return DataLoss(path.string(), ": record ", record, " has the label ", label,
                      ", there are 0 to 9");
    }
  }
  return size / kCifar10RecordBytes;
}

}  // namespace

StatusOr<Cifar10Files> FindOrMakeCifar10(const std::string& folder) {
  fs::path place = fs::path(folder) / "cifar-10-batches-bin";
  std::error_code ignored;
  if (!fs::exists(place / FileName(1), ignored)) place = folder;
  if (!fs::exists(place / FileName(1), ignored)) {
    const Status made = MakeFiles(place);
    if (!made.ok()) return made;
  }
  Cifar10Files files;
  files.made = fs::exists(place / kMadeName, ignored);
  for (int number = 1; number <= kFiles; ++number) {
    const fs::path path = place / FileName(number);
    if (!fs::exists(path, ignored)) continue;
    const StatusOr<int64_t> count = CountRecords(path);
    if (!count.ok()) return count.status();
    files.paths.push_back(path.string());
    files.examples += *count;
  }
  return files;
}

}  // namespace examples
}  // namespace warpbeam
