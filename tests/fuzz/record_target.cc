// TFRecord files, plain and compressed (told apart by their first bytes), read to their end and
// once more from where a record began. Changed records mostly get their checksums anew.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"
#include "runtime/record/record_reader.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/memory_file.h"
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

absl::Status Read(absl::string_view input, const std::string& path, size_t readahead) {
  RecordReaderOptions options;
  options.compression = TypeOf(input);
  options.readahead_bytes = readahead;
  WB_ASSIGN_OR_RETURN(const auto reader, RecordReader::Open(path, options));
  absl::string_view record;
  int64_t last = 0;
  uint32_t sum = 0;
  for (int i = 0; i < kMostRecords; ++i) {
    last = reader->offset();
    const absl::StatusOr<bool> more = reader->Next(&record);
    if (!more.ok() || !*more) break;
    sum = ExtendCrc32c(sum, record.data(), record.size());  // touches every byte
  }
  WB_RETURN_IF_ERROR(reader->Seek(last));
  return reader->Next(&record).status();
}

// The records of a plain file, as far as their lengths lead.
std::vector<std::string> Split(const std::string& file) {
  std::vector<std::string> records;
  size_t at = 0;
  while (at + kRecordHeaderBytes + kRecordFooterBytes <= file.size()) {
    const uint64_t length = LoadLittle64(&file[at]);
    if (length > file.size() - at - kRecordHeaderBytes - kRecordFooterBytes) break;
    records.push_back(file.substr(at + kRecordHeaderBytes, static_cast<size_t>(length)));
    at += kRecordHeaderBytes + static_cast<size_t>(length) + kRecordFooterBytes;
  }
  return records;
}

void AppendRecord(const std::string& record, uint64_t length, std::string* file) {
  char head[kRecordHeaderBytes];
  StoreLittle64(length, head);
  StoreLittle32(MaskCrc32c(Crc32c(head, kRecordLengthBytes)), head + kRecordLengthBytes);
  char foot[kRecordFooterBytes];
  StoreLittle32(MaskCrc32c(Crc32c(record.data(), record.size())), foot);
  file->append(head, sizeof head).append(record).append(foot, sizeof foot);
}

std::string MutatedRecords(RandomSource& random, std::vector<std::string> records,
                           size_t max_size) {
  const size_t changed = random.Below(records.size());
  const bool wrong_length = random.OneIn(3);
  if (!wrong_length) MutateBytes(random, max_size, &records[changed]);
  std::string file;
  for (size_t i = 0; i < records.size(); ++i) {
    uint64_t length = records[i].size();
    if (wrong_length && i == changed) {
      length = random.OneIn(2) ? static_cast<uint64_t>(random.EdgeInt()) : length + 1;
    }
    AppendRecord(records[i], length, &file);
  }
  return file;
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
  std::string file(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> records = warpbeam::fuzz::Split(file);
  if (records.empty() || random.OneIn(3)) {
    warpbeam::fuzz::MutateBytes(random, max_size, &file);
  } else {
    file = warpbeam::fuzz::MutatedRecords(random, std::move(records), max_size);
    file.resize(std::min(file.size(), max_size));
  }
  memcpy(data, file.data(), file.size());
  return file.size();
}
