#include "placement/simulate/json_object.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace warpbeam {

std::string JsonText(const std::string& text) {
  google::protobuf::Value value;
  value.set_string_value(text);
  std::string json;
  // Only what is no UTF-8 could keep a text from being written.
  (void)google::protobuf::util::MessageToJsonString(value, &json);
  return json;
}

std::string JsonNumber(double number) { return absl::StrFormat("%.12g", number); }

std::string JsonList(const std::vector<std::string>& entries) {
  if (entries.empty()) return "[]";
  return absl::StrCat("[\n  ", absl::StrJoin(entries, ",\n  "), "]");
}

JsonObject& JsonObject::AddText(const char* key, const std::string& json) {
  absl::StrAppend(&pairs_, pairs_.empty() ? "" : ", ", "\"", key, "\": ", json);
  return *this;
}

JsonObject& JsonObject::AddPairs(const std::string& pairs) {
  if (!pairs.empty()) absl::StrAppend(&pairs_, pairs_.empty() ? "" : ", ", pairs);
  return *this;
}

}  // namespace warpbeam
