#include "tests/fuzz/record_image.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"
#include "tests/fuzz/byte_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

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

std::string MutateRecords(RandomSource& random, std::string file, size_t max_size) {
  std::vector<std::string> records = Split(file);
  if (records.empty() || random.OneIn(3)) {
    MutateBytes(random, max_size, &file);
  } else {
    file = MutatedRecords(random, std::move(records), max_size);
    file.resize(std::min(file.size(), max_size));
  }
  return file;
}

}  // namespace fuzz
}  // namespace warpbeam
