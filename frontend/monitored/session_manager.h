// SessionManager: makes sessions in which a model is ready to train (tf.train.SessionManager):
// restored from the newest checkpoint of a directory, or else initialised.
//
//   SessionManagerOptions options;
//   options.ready_op = ReportUninitializedVariables(scope);
//   SessionManager manager(scope, options);
//   PrepareOptions prepare;
//   prepare.init_op = init;  prepare.saver = &saver;  prepare.checkpoint_dir = "/tmp/train";
//   StatusOr<std::unique_ptr<ClientSession>> session = manager.PrepareSession(prepare);
//
// Ownership: the caller owns sessions; the options' saver must outlive the call. Thread safety: one
// thread at a time. Errors: those of sessions and savers; FAILED_PRECONDITION listing what has no
// value where neither checkpoint nor initialisation gave it one; DEADLINE_EXCEEDED after
// `max_wait_secs`, saying what was waited for; CANCELLED where `should_stop` said so.
#ifndef WARPBEAM_FRONTEND_MONITORED_SESSION_MANAGER_H_
#define WARPBEAM_FRONTEND_MONITORED_SESSION_MANAGER_H_

#include <functional>
#include <memory>
#include <string>

#include "frontend/client_session.h"
#include "frontend/saver/saver.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct SessionManagerOptions {
  // Vectors with the names of what has no value yet; not valid: always ready.
  Output ready_op, ready_for_local_init_op;
  Operation local_init_op;
  ClientSession::Feeds local_init_feeds;
  // How long to wait before looking again.
  double recovery_wait_secs = 30;
  SessionConfig config;
  // Makes the sessions; null: new ones of the graph, each with variables of its own.
  std::function<std::unique_ptr<ClientSession>()> make_session;
  // Ends waiting; null: never.
  std::function<bool()> should_stop;
};

struct PrepareOptions {
  Operation init_op;
  ClientSession::Feeds init_feeds;
  std::function<Status(ClientSession&)> init_fn;
  Saver* saver = nullptr;  // null: nothing is restored
  std::string checkpoint_dir;
  // Instead of the newest of `checkpoint_dir`.
  std::string checkpoint_path;
  // Whether to wait until there is a checkpoint, instead of initialising.
  bool wait_for_checkpoint = false;
  double max_wait_secs = 7200;
};

class SessionManager {
 public:
  SessionManager(const Scope& scope, SessionManagerOptions options);

  // Restores, else initialises; then the local initialisation.
  StatusOr<std::unique_ptr<ClientSession>> PrepareSession(const PrepareOptions& options);
  // Null where there is no checkpoint, or one that leaves something without a value.
  StatusOr<std::unique_ptr<ClientSession>> RecoverSession(const PrepareOptions& options);
  // A session that somebody else makes ready.
  StatusOr<std::unique_ptr<ClientSession>> WaitForSession(double max_wait_secs = 7200);

 private:
  using SessionPtr = std::unique_ptr<ClientSession>;
  StatusOr<SessionPtr> MakeSession() const;
  // Whether a checkpoint was restored.
  StatusOr<bool> Restore(const PrepareOptions& options, ClientSession& session);
  // What is missing, or "" and the local initialisation has run.
  StatusOr<std::string> TryLocalInit(ClientSession& session) const;
  static StatusOr<std::string> Missing(ClientSession& session, const Output& ready_op);
  Status WaitBeforeLooking(const std::string& what) const;

  const Scope scope_;
  const SessionManagerOptions options_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SESSION_MANAGER_H_
