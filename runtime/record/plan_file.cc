#include "runtime/record/plan_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

// A file of another format has another heading.
constexpr absl::string_view kHeading = "warpbeam plans 1\n";

void AppendNumber(uint32_t number, std::string* to) {
  for (int i = 0; i < 4; ++i) to->push_back(static_cast<char>(number >> (8 * i) & 0xff));
}
uint32_t NumberAt(absl::string_view bytes) {
  uint32_t number = 0;
  for (int i = 0; i < 4; ++i) {
    number |= uint32_t{static_cast<unsigned char>(bytes[static_cast<size_t>(i)])} << (8 * i);
  }
  return number;
}

// A key is the library's name, a zero, and the problem.
std::string KeyOf(absl::string_view library, absl::string_view problem) {
  return absl::StrCat(library, absl::string_view("\0", 1), problem);
}

// The sizes of key and plan, both, and a checksum of all that.
std::string RecordOf(absl::string_view key, absl::string_view plan) {
  std::string record;
  AppendNumber(static_cast<uint32_t>(key.size()), &record);
  AppendNumber(static_cast<uint32_t>(plan.size()), &record);
  absl::StrAppend(&record, key, plan);
  AppendNumber(Crc32c(record.data(), record.size()), &record);
  return record;
}

// Takes a record from the front; false where there is none that is whole.
bool TakeRecord(absl::string_view* bytes, absl::string_view* key, absl::string_view* plan) {
  constexpr size_t kSizes = 8, kChecksum = 4;
  if (bytes->size() < kSizes + kChecksum) return false;
  const size_t key_size = NumberAt(*bytes), plan_size = NumberAt(bytes->substr(4));
  const size_t room = bytes->size() - kSizes - kChecksum;
  if (key_size > room || plan_size > room - key_size) return false;
  const size_t size = kSizes + key_size + plan_size;
  if (NumberAt(bytes->substr(size)) != Crc32c(bytes->data(), size)) return false;
  *key = bytes->substr(kSizes, key_size);
  *plan = bytes->substr(kSizes + key_size, plan_size);
  bytes->remove_prefix(size + kChecksum);
  return true;
}

std::mutex process_mutex;
std::shared_ptr<PlanFile>& FileOfProcess() {
  static auto* const file = new std::shared_ptr<PlanFile>;
  return *file;
}

}  // namespace

StatusOr<std::shared_ptr<PlanFile>> PlanFile::Open(absl::string_view path) {
  std::shared_ptr<PlanFile> file(new PlanFile(path));
  bool is_whole = true;
  WB_RETURN_IF_ERROR(file->Read(&is_whole));
  if (!is_whole) {
    WB_RETURN_IF_ERROR(file->WriteAnew());
    return file;
  }
  // Whether it can be added to is found out before anybody relies on it.
  WB_ASSIGN_OR_RETURN(const auto out, OutputFile::OpenForAppend(path));
  WB_RETURN_IF_ERROR(out->Close());
  return file;
}

Status PlanFile::Read(bool* is_whole) {
  auto contents = ReadFileToString(path_, kMostBytes);
  if (IsNotFound(contents.status()) || IsResourceExhausted(contents.status())) {
    *is_whole = false;
    return OkStatus();
  }
  WB_RETURN_IF_ERROR(contents.status());
  absl::string_view bytes = *contents;
  if (!absl::StartsWith(bytes, kHeading)) {
    // One that was being begun when its process ended.
    *is_whole = false;
    if (absl::StartsWith(kHeading, bytes)) return OkStatus();
    return InvalidArgument(path_, " is no file of plans, or one of another version of Warpbeam: ",
                           "name another, or remove it");
  }
  bytes.remove_prefix(kHeading.size());
  absl::string_view key, plan;
  while (TakeRecord(&bytes, &key, &plan)) plans_[std::string(key)] = std::string(plan);
  *is_whole = bytes.empty();
  bytes_ = contents->size() - bytes.size();
  return OkStatus();
}

// By another file that takes its place, so that readers see the one or the other.
Status PlanFile::WriteAnew() const {
  std::string contents(kHeading);
  for (const auto& [key, plan] : plans_) contents += RecordOf(key, plan);
  const std::string other = absl::StrCat(path_, ".", getpid());
  Status s = WriteStringToFile(other, contents);
  if (s.ok() && std::rename(other.c_str(), path_.c_str()) != 0) {
    s = Internal("renaming ", other, " to ", path_, ": ", std::strerror(errno));
  }
  if (!s.ok()) std::remove(other.c_str());
  return s;
}

std::optional<std::string> PlanFile::Find(absl::string_view library,
                                          absl::string_view problem) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = plans_.find(KeyOf(library, problem));
  if (found == plans_.end()) return std::nullopt;
  return found->second;
}

void PlanFile::Keep(absl::string_view library, absl::string_view problem, absl::string_view plan) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string key = KeyOf(library, problem);
  const std::string record = RecordOf(key, plan);
  if (record.size() > kMostBytes / 4) return;
  if (bytes_ + record.size() > kMostBytes) {
    plans_.clear();
    bytes_ = 0;
    if (!WriteAnew().ok()) return;
  }
  plans_[std::move(key)] = std::string(plan);
  auto out = OutputFile::OpenForAppend(path_);
  if (!out.ok()) return;
  if ((*out)->Append(record).ok()) bytes_ += record.size();
  (*out)->Close().IgnoreError();  // what is missing is planned anew
}

size_t PlanFile::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return plans_.size();
}

std::shared_ptr<PlanFile> PlanFile::OfProcess() {
  const std::lock_guard<std::mutex> lock(process_mutex);
  return FileOfProcess();
}

Status PlanFile::SetOfProcess(absl::string_view path) {
  const std::lock_guard<std::mutex> lock(process_mutex);
  std::shared_ptr<PlanFile>& file = FileOfProcess();
  if (file != nullptr && file->path() == path) return OkStatus();
  WB_ASSIGN_OR_RETURN(file, Open(path));
  return OkStatus();
}

}  // namespace warpbeam
