// TFRecord files, plain and compressed (told apart by their first bytes), read to their end and
// once more from where a record began. Changed records mostly get their checksums anew.
#include <cstring>
#include <string>

#include "runtime/record/crc32c.h"
#include "runtime/record/record_reader.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/record_image.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int kMostRecords = 10'000;

CompressionType TypeOf(absl::string_view file) {
  if (file.size() > 1 && file[0] == '\x1f' && file[1] == '\x8b') return CompressionType::kGzip;
  if (!file.empty() && file[0] == '\x78') return CompressionType::kZlib;
  return CompressionType::kNone;
}

Status Read(absl::string_view input, const std::string& path, size_t readahead) {
  RecordReaderOptions options;
  options.compression = TypeOf(input);
  options.readahead_bytes = readahead;
  WB_ASSIGN_OR_RETURN(const auto reader, RecordReader::Open(path, options));
  absl::string_view record;
  int64_t last = 0;
  uint32_t sum = 0;
  for (int i = 0; i < kMostRecords; ++i) {
    last = reader->offset();
    const StatusOr<bool> more = reader->Next(&record);
    if (!more.ok() || !*more) break;
    sum = ExtendCrc32c(sum, record.data(), record.size());  // touches every byte
  }
  WB_RETURN_IF_ERROR(reader->Seek(last));
  return reader->Next(&record).status();
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& file = *new warpbeam::fuzz::MemoryFile;
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  file.Set(input);
  warpbeam::fuzz::Read(input, file.path(), 0).IgnoreError();
  warpbeam::fuzz::Read(input, file.path(), 1 << 12).IgnoreError();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  const std::string file = warpbeam::fuzz::MutateRecords(
      random, std::string(reinterpret_cast<const char*>(data), size), max_size);
  memcpy(data, file.data(), file.size());
  return file.size();
}
