#include "placement/device_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace warpbeam {
namespace {

// Takes the characters up to the next '/' or ':' off the front of `rest`.
absl::string_view TakeWord(absl::string_view* rest) {
  size_t n = 0;
  while (n < rest->size() && (*rest)[n] != '/' && (*rest)[n] != ':') ++n;
  absl::string_view word = rest->substr(0, n);
  rest->remove_prefix(n);
  return word;
}

bool IsIdentifier(absl::string_view word) {
  if (word.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(word[0]))) return false;
  for (char c : word) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

Status BadPart(absl::string_view text, absl::string_view part, absl::string_view want) {
  return InvalidArgument("the device '", text, "' does not parse at '", part, "': ", want,
                         "; a device is written like /job:worker/task:1/device:GPU:0 or a part of "
                         "that, such as /gpu:0");
}

Status TakeNumber(absl::string_view text, absl::string_view what, absl::string_view* rest,
                  std::optional<int>* out) {
  absl::string_view word = TakeWord(rest);
  out->reset();
  if (word == "*") return OkStatus();
  int value = 0;
  bool digits = !word.empty();
  for (char c : word) digits = digits && absl::ascii_isdigit(static_cast<unsigned char>(c));
  if (!digits || !absl::SimpleAtoi(word, &value)) {
    return BadPart(text, absl::StrCat(what, word), "a number or * must follow");
  }
  *out = value;
  return OkStatus();
}

// What follows "/device:": a type, and perhaps ":" and a number.
Status TakeDevice(absl::string_view text, absl::string_view* rest, DeviceName* name) {
  absl::string_view word = TakeWord(rest);
  name->type.reset();
  if (word != "*") {
    if (!IsIdentifier(word)) {
      return BadPart(text, absl::StrCat("/device:", word), "a device type or * must follow");
    }
    name->type = absl::AsciiStrToUpper(word);
  }
  name->id.reset();
  if (!absl::ConsumePrefix(rest, ":")) return OkStatus();
  return TakeNumber(text, absl::StrCat("/device:", word, ":"), rest, &name->id);
}

Status TakePart(absl::string_view text, absl::string_view* rest, DeviceName* name) {
  if (absl::ConsumePrefix(rest, "/job:")) {
    absl::string_view word = TakeWord(rest);
    name->job.reset();
    if (word == "*") return OkStatus();
    if (!IsIdentifier(word)) {
      return BadPart(text, absl::StrCat("/job:", word), "a job's name or * must follow");
    }
    name->job = std::string(word);
    return OkStatus();
  }
  if (absl::ConsumePrefix(rest, "/replica:")) {
    return TakeNumber(text, "/replica:", rest, &name->replica);
  }
  if (absl::ConsumePrefix(rest, "/task:")) return TakeNumber(text, "/task:", rest, &name->task);
  if (absl::ConsumePrefix(rest, "/device:")) return TakeDevice(text, rest, name);
  for (absl::string_view old : {"/cpu:", "/CPU:", "/gpu:", "/GPU:"}) {
    if (!absl::ConsumePrefix(rest, old)) continue;
    name->type = absl::AsciiStrToUpper(old.substr(1, 3));
    return TakeNumber(text, old, rest, &name->id);
  }
  return BadPart(text, *rest, "expected /job:, /replica:, /task:, /device:, /cpu: or /gpu:");
}

template <typename T>
bool Contradict(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

template <typename T>
void Take(std::optional<T>* to, const std::optional<T>& from) {
  if (from) *to = from;
}

}  // namespace

const char* DeviceTypeName(DeviceType type) { return type == DeviceType::kGpu ? "GPU" : "CPU"; }

StatusOr<DeviceName> DeviceName::Parse(absl::string_view text) {
  DeviceName name;
  absl::string_view rest = text;
  if (rest == "/") return name;
  while (!rest.empty()) WB_RETURN_IF_ERROR(TakePart(text, &rest, &name));
  return name;
}

DeviceName DeviceName::Local(DeviceType type, int id) {
  DeviceName name;
  name.job = "localhost";
  name.replica = 0;
  name.task = 0;
  name.type = DeviceTypeName(type);
  name.id = id;
  return name;
}

std::optional<DeviceType> DeviceName::known_type() const {
  if (type == "CPU") return DeviceType::kCpu;
  if (type == "GPU") return DeviceType::kGpu;
  return std::nullopt;
}

bool DeviceName::Matches(const DeviceName& full) const {
  return (!job || job == full.job) && (!replica || replica == full.replica) &&
         (!task || task == full.task) && (!type || type == full.type) && (!id || id == full.id);
}

bool DeviceName::IsCompatibleWith(const DeviceName& other) const {
  return !Contradict(job, other.job) && !Contradict(replica, other.replica) &&
         !Contradict(task, other.task) && !Contradict(type, other.type) &&
         !Contradict(id, other.id);
}

void DeviceName::OverrideWith(const DeviceName& inner) {
  Take(&job, inner.job);
  Take(&replica, inner.replica);
  Take(&task, inner.task);
  Take(&type, inner.type);
  Take(&id, inner.id);
}

Status DeviceName::MergeWith(const DeviceName& other, bool soft) {
  const char* part = Contradict(job, other.job)           ? "jobs"
                     : Contradict(replica, other.replica) ? "replicas"
                     : Contradict(task, other.task)       ? "tasks"
                                                          : nullptr;
  const bool types = Contradict(type, other.type);
  const bool ids = Contradict(id, other.id);
  if (part == nullptr && !soft) part = types ? "device types" : ids ? "device numbers" : nullptr;
  if (part != nullptr) {
    return InvalidArgument("'", ToString(), "' and '", other.ToString(), "' name different ", part);
  }
  OverrideWith(other);
  if (types) type.reset();
  if (types || ids) id.reset();
  return OkStatus();
}

std::string DeviceName::ToString() const {
  std::string out;
  if (job) absl::StrAppend(&out, "/job:", *job);
  if (replica) absl::StrAppend(&out, "/replica:", *replica);
  if (task) absl::StrAppend(&out, "/task:", *task);
  if (!type && !id) return out;
  absl::StrAppend(&out, "/device:", type ? *type : "*", ":");
  absl::StrAppend(&out, id ? absl::StrCat(*id) : "*");
  return out;
}

}  // namespace warpbeam
