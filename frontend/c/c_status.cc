#include "absl/strings/str_cat.h"
#include "frontend/c/c_types.h"

namespace warpbeam {
namespace frontend {

void SetStatus(wb_status* status, Status value) {
  if (status == nullptr) return;
  status->message = std::string(value.message());
  status->value = std::move(value);
}

Status Missing(const char* argument) {
  return InvalidArgument("the argument '", argument, "' is NULL");
}

}  // namespace frontend
}  // namespace warpbeam

const char* wb_version() {
  static const auto* const text =
      new std::string(absl::StrCat(WB_VERSION_MAJOR, ".", WB_VERSION_MINOR, ".", WB_VERSION_PATCH));
  return text->c_str();
}

wb_status* wb_status_new() { return new wb_status(); }

void wb_status_delete(wb_status* status) { delete status; }

int wb_status_code(const wb_status* status) {
  return status == nullptr ? 0 : static_cast<int>(status->value.code());
}

const char* wb_status_message(const wb_status* status) {
  return status == nullptr ? "" : status->message.c_str();
}
