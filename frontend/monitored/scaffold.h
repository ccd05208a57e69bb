// Scaffold: what a training session needs besides the model (tf.train.Scaffold): how variables get
// their values, how one sees that they have them, how they are saved, what is summarised.
//
//   ScaffoldOptions options;
//   options.init_fn = [&](ClientSession& session) { return pretrained.Restore(session, path); };
//   Scaffold scaffold(scope, options);
//   Status s = scaffold.Finalize();      // builds what is left out; the graph is read only then
//
// What is not given is taken from the graph's collections ("init_op", "ready_op",
// "ready_for_local_init_op", "local_init_op", "summary_op", "savers") or built as TensorFlow does
// and put there.
//
// Ownership: shares the graph and the saver. Thread safety: that of the Scope. Errors: of building;
// FAILED_PRECONDITION where a collection holds several and none was given.
#ifndef WARPBEAM_FRONTEND_MONITORED_SCAFFOLD_H_
#define WARPBEAM_FRONTEND_MONITORED_SCAFFOLD_H_

#include <functional>
#include <memory>
#include <string>

#include "frontend/client_session.h"
#include "frontend/saver/saver.h"

namespace warpbeam {
namespace frontend {
namespace train {

// The collections that a Scaffold and a Supervisor look into.
struct ScaffoldKeys {
  static constexpr const char* kInitOp = "init_op";
  static constexpr const char* kReadyOp = "ready_op";
  static constexpr const char* kReadyForLocalInitOp = "ready_for_local_init_op";
  static constexpr const char* kLocalInitOp = "local_init_op";
  static constexpr const char* kSummaryOp = "summary_op";
};

struct ScaffoldOptions {
  Operation init_op;
  ClientSession::Feeds init_feeds;
  // Runs after `init_op`, such as a restore of weights that were trained before.
  std::function<Status(ClientSession&)> init_fn;
  // Vectors with the names of what has no value yet.
  Output ready_op, ready_for_local_init_op;
  Operation local_init_op;
  ClientSession::Feeds local_init_feeds;
  Output summary_op;
  std::shared_ptr<Saver> saver;
};

class Scaffold {
 public:
  explicit Scaffold(ScopeRef scope, const ScaffoldOptions& options = ScaffoldOptions());

  // Twice is no error.
  Status Finalize();

  // Everything, once finalized. `summary_op` is not valid where there are no summaries, `saver`
  // null where there are no variables.
  const ScaffoldOptions& parts() const { return parts_; }
  const std::shared_ptr<Saver>& saver() const { return parts_.saver; }
  const Scope& scope() const { return scope_; }

 private:
  Scope scope_;
  ScaffoldOptions parts_;
  bool is_final_ = false;
};

// The only item of a collection; not valid where there is none. What Scaffold and Supervisor are
// made of.
StatusOr<Operation> OnlyOperation(const Scope& scope, const std::string& key);
StatusOr<Output> OnlyOutput(const Scope& scope, const std::string& key);
// The saver that the graph has, or null.
StatusOr<std::shared_ptr<Saver>> SaverOfGraph(const Scope& scope);
// "group_deps": local variables and tables.
Operation DefaultLocalInitOp(const Scope& scope);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SCAFFOLD_H_
