// What the handles of the C API stand for.
//
//   wb_session* session = nullptr;
//   SetStatus(nullptr, session == nullptr ? Missing("session") : session->session().Close());
//
// Ownership: each handle owns its value. Thread safety and errors: those of frontend/c/c_api.h.
#ifndef WARPBEAM_FRONTEND_C_C_TYPES_H_
#define WARPBEAM_FRONTEND_C_C_TYPES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "frontend/c/c_api.h"
#include "frontend/model/open_model.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/session/session.h"

struct wb_status {
  warpbeam::Status value;
  std::string message;
};

struct wb_tensor {
  warpbeam::Tensor value;
};

struct wb_options {
  warpbeam::frontend::OpenOptions open;
};

struct wb_session {
  warpbeam::frontend::OpenedModel opened;
  std::vector<std::string> devices;

  warpbeam::Session& session() const { return opened.session(); }
  const warpbeam::frontend::Model* model() const { return opened.model.get(); }
};

struct wb_callable {
  warpbeam::Session* session;
  warpbeam::Session::CallableHandle handle;
  size_t num_feeds;
  size_t num_fetches;
};

namespace warpbeam {
namespace frontend {

// Does nothing where `status` is null.
void SetStatus(wb_status* status, Status value);

// The keys of a map by name: "a, b, c".
template <typename Value>
std::string NamesOf(const std::map<std::string, Value>& map) {
  return absl::StrJoin(map, ", ", [](std::string* out, const auto& entry) { *out += entry.first; });
}

// INVALID_ARGUMENT: an argument of this name is needed and is null.
Status Missing(const char* argument);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_C_C_TYPES_H_
