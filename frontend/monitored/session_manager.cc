#include "frontend/monitored/session_manager.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using Clock = std::chrono::steady_clock;

// Short enough that a stop is seen soon.
constexpr double kLongestWaitSecs = 0.05;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A deadline that ends with an error saying what was waited for.
Status CheckTimeLeft(Clock::time_point start, double max_wait_secs, double next_wait_secs,
                     const std::string& what) {
  if (SecondsSince(start) + next_wait_secs <= max_wait_secs) return OkStatus();
  return DeadlineExceeded("the session was not ready after waiting ", max_wait_secs,
                          " s (max_wait_secs): ", what);
}

}  // namespace

SessionManager::SessionManager(const Scope& scope, SessionManagerOptions options)
    : scope_(scope), options_(std::move(options)) {}

StatusOr<std::unique_ptr<ClientSession>> SessionManager::MakeSession() const {
  SessionPtr session = options_.make_session != nullptr
                           ? options_.make_session()
                           : std::make_unique<ClientSession>(scope_, options_.config);
  if (session == nullptr) return InvalidArgument("make_session made no session");
  WB_RETURN_IF_ERROR(session->status());
  return session;
}

Status SessionManager::WaitBeforeLooking(const std::string& what) const {
  const Clock::time_point start = Clock::now();
  for (;;) {
    if (options_.should_stop != nullptr && options_.should_stop()) {
      return Cancelled("asked to stop while waiting: ", what);
    }
    const double left = options_.recovery_wait_secs - SecondsSince(start);
    if (left <= 0) return OkStatus();
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kLongestWaitSecs)));
  }
}

StatusOr<bool> SessionManager::Restore(const PrepareOptions& options, ClientSession& session) {
  if (options.saver == nullptr) return false;
  if (!options.checkpoint_dir.empty() && !options.checkpoint_path.empty()) {
    return InvalidArgument("either checkpoint_dir or checkpoint_path, not both: '",
                           options.checkpoint_dir, "' and '", options.checkpoint_path, "'");
  }
  if (!options.checkpoint_path.empty()) {
    WB_RETURN_IF_ERROR(options.saver->Restore(session, options.checkpoint_path));
    return true;
  }
  if (options.checkpoint_dir.empty()) return false;
  options.saver->WaitUntilIdle();  // what is being written is the newest
  const Clock::time_point start = Clock::now();
  for (;;) {
    const auto state = ReadCheckpointState(options.checkpoint_dir);
    if (state.ok() && CheckpointExists(state->latest())) {
      WB_RETURN_IF_ERROR(options.saver->Restore(session, state->latest()));
      options.saver->RecoverLastCheckpoints(*state);
      return true;
    }
    // A list that cannot be read is not the same as none: training anew would throw work away.
    if (!state.ok() && !IsNotFound(state.status())) return state.status();
    if (!options.wait_for_checkpoint) return false;
    const std::string what = absl::StrCat("no checkpoint in '", options.checkpoint_dir, "'");
    WB_RETURN_IF_ERROR(
        CheckTimeLeft(start, options.max_wait_secs, options_.recovery_wait_secs, what));
    WB_RETURN_IF_ERROR(WaitBeforeLooking(what));
  }
}

StatusOr<std::string> SessionManager::Missing(ClientSession& session, const Output& ready_op) {
  if (!ready_op.valid()) return std::string();
  const auto fetched = session.Run({ready_op});
  if (IsFailedPrecondition(fetched.status()) &&
      absl::StrContains(fetched.status().message(), "uninitialized")) {
    return std::string(fetched.status().message());
  }
  WB_RETURN_IF_ERROR(fetched.status());
  const Tensor& names = (*fetched)[0];
  if (names.num_elements() == 0 || names.dtype() != DType::kString) return std::string();
  const std::string* first = names.data<std::string>();
  return absl::StrCat("variables not initialized: ",
                      absl::StrJoin(first, first + names.num_elements(), ", "));
}

StatusOr<std::string> SessionManager::TryLocalInit(ClientSession& session) const {
  if (!options_.local_init_op.valid()) return std::string();
  WB_ASSIGN_OR_RETURN(const std::string missing,
                      Missing(session, options_.ready_for_local_init_op));
  if (!missing.empty()) return missing;
  WB_RETURN_IF_ERROR(session.Run(options_.local_init_feeds, {options_.local_init_op}).status());
  return std::string();
}

StatusOr<std::unique_ptr<ClientSession>> SessionManager::PrepareSession(
    const PrepareOptions& options) {
  WB_ASSIGN_OR_RETURN(SessionPtr session, MakeSession());
  WB_ASSIGN_OR_RETURN(const bool restored, Restore(options, *session));
  if (!restored) {
    if (!options.init_op.valid() && options.init_fn == nullptr && !options_.local_init_op.valid()) {
      return FailedPrecondition(
          "the model has no checkpoint to restore, and no init_op, init_fn or local_init_op was "
          "given to initialise it");
    }
    if (options.init_op.valid()) {
      WB_RETURN_IF_ERROR(session->Run(options.init_feeds, {options.init_op}).status());
    }
    if (options.init_fn != nullptr) WB_RETURN_IF_ERROR(options.init_fn(*session));
  }
  WB_ASSIGN_OR_RETURN(std::string missing, TryLocalInit(*session));
  const bool is_local = missing.empty();
  if (is_local) {
    WB_ASSIGN_OR_RETURN(missing, Missing(*session, options_.ready_op));
  }
  if (missing.empty()) return session;
  return FailedPrecondition(restored ? "the checkpoint" : "the initialisation (init_op, init_fn)",
                            " did not make the model ready", is_local ? "" : " for local_init_op",
                            ": ", missing);
}

StatusOr<std::unique_ptr<ClientSession>> SessionManager::RecoverSession(
    const PrepareOptions& options) {
  WB_ASSIGN_OR_RETURN(SessionPtr session, MakeSession());
  WB_ASSIGN_OR_RETURN(const bool restored, Restore(options, *session));
  if (!restored) return SessionPtr();
  WB_ASSIGN_OR_RETURN(std::string missing, TryLocalInit(*session));
  if (missing.empty()) {
    WB_ASSIGN_OR_RETURN(missing, Missing(*session, options_.ready_op));
  }
  return missing.empty() ? std::move(session) : SessionPtr();
}

StatusOr<std::unique_ptr<ClientSession>> SessionManager::WaitForSession(double max_wait_secs) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    WB_ASSIGN_OR_RETURN(SessionPtr session, MakeSession());
    WB_ASSIGN_OR_RETURN(std::string missing, TryLocalInit(*session));
    if (missing.empty()) {
      WB_ASSIGN_OR_RETURN(missing, Missing(*session, options_.ready_op));
    }
    if (missing.empty()) return session;
    session->Close().IgnoreError();
    WB_RETURN_IF_ERROR(CheckTimeLeft(start, max_wait_secs, options_.recovery_wait_secs, missing));
    WB_RETURN_IF_ERROR(WaitBeforeLooking(missing));
  }
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
