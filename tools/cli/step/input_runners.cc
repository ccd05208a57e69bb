#include "tools/cli/step/input_runners.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace cli {

InputRunners::~InputRunners() {
  if (session_ == nullptr) return;
  session_->Close().IgnoreError();  // ends the runners' waits
  for (std::thread& thread : threads_) thread.join();
}

Status InputRunners::Start(Session* session, const std::vector<std::string>& targets) {
  session_ = session;
  for (const std::string& target : targets) {
    WB_ASSIGN_OR_RETURN(std::thread thread, NewThread([this, target] { Keep(target); }));
    threads_.push_back(std::move(thread));
  }
  return OkStatus();
}

void InputRunners::Keep(const std::string& target) {
  Status status;
  while (status.ok()) status = session_->Run(RunOptions(), {}, {}, {target}, nullptr);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (first_error_.ok()) {
      first_error_ = Annotate(status, absl::StrCat("the queue runner '", target, "' ended"));
    }
  }
  session_->Close().IgnoreError();
}

Status InputRunners::Explain(Status steps) {
  if (steps.ok()) return steps;
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_error_.ok() ? steps : first_error_;
}

}  // namespace cli
}  // namespace warpbeam
