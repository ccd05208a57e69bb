// What the handles of the C API stand for.
//
//   wb_session* session = nullptr;
//   SetStatus(nullptr, session == nullptr ? Missing("session") : session->session().Close());
//
// Ownership: each handle owns its value. Thread safety and errors: those of frontend/c/c_api.h.
#ifndef WARPBEAM_FRONTEND_C_C_TYPES_H_
#define WARPBEAM_FRONTEND_C_C_TYPES_H_

#include <memory>
#include <string>
#include <vector>

#include "frontend/c/c_api.h"
#include "frontend/model/model.h"
#include "graph/types/status.h"
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
  warpbeam::SessionOptions session;
  std::vector<std::string> tags;
  std::string checkpoint;  // empty: of the .meta file's own name
};

struct wb_session {
  // One of the two.
  std::unique_ptr<warpbeam::frontend::Model> model;
  std::unique_ptr<warpbeam::Session> of_graph;
  std::vector<std::string> devices;

  warpbeam::Session& session() const { return model != nullptr ? model->session() : *of_graph; }
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

// INVALID_ARGUMENT: an argument of this name is needed and is null.
Status Missing(const char* argument);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_C_C_TYPES_H_
