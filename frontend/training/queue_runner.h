// QueueRunner: threads that keep a queue filled (tf.train.QueueRunner, start_queue_runners).
//
//   Operation put = ops::QueueEnqueueV2(scope, queue, {example});
//   AddQueueRunner(scope, MakeQueueRunner(scope, queue, {put, put}));      // two threads
//   …
//   ClientSession session(scope);
//   Coordinator coordinator;
//   Status s = StartQueueRunners(scope, session, coordinator);
//
// Each enqueue operation has a thread that runs it until it is told to stop. OUT_OF_RANGE ends a
// thread in peace, and the last one closes the queue, so that readers get what is left and then
// OUT_OF_RANGE themselves; any other error goes to the coordinator. When the coordinator stops, the
// queue is closed and enqueues are cancelled, whatever they wait for.
//
// The collection GraphKeys::kQueueRunners lists runners as serialized tensorflow.QueueRunnerDef, as
// MetaGraphs carry them.
//
// Ownership: a QueueRunner is a value of names; the session must outlive the coordinator's Join.
// Thread safety: that of the Scope; running, any. Errors: kept in the scope; INVALID_ARGUMENT for
// bytes that are no QueueRunnerDef.
#ifndef WARPBEAM_FRONTEND_TRAINING_QUEUE_RUNNER_H_
#define WARPBEAM_FRONTEND_TRAINING_QUEUE_RUNNER_H_

#include <string>
#include <vector>

#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/training/coordinator.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct QueueRunner {
  std::string queue_name;
  std::vector<std::string> enqueue_op_names;
  std::string close_op_name;
  std::string cancel_op_name;
  // Canonical codes that end a thread in peace.
  std::vector<int> queue_closed_codes = {static_cast<int>(StatusCode::kOutOfRange)};

  std::string Serialize() const;
  static StatusOr<QueueRunner> Parse(const std::string& bytes);
  // Launches its threads.
  void Start(Session* session, Coordinator& coordinator) const;
};

// Adds the operations that close the queue.
QueueRunner MakeQueueRunner(ScopeRef scope, const Output& queue,
                            const std::vector<Operation>& enqueue_ops);
void AddQueueRunner(const Scope& scope, const QueueRunner& runner,
                    const std::string& collection = GraphKeys::kQueueRunners);
// Starts every runner of the collection.
Status StartQueueRunners(const Scope& scope, ClientSession& session, Coordinator& coordinator,
                         const std::string& collection = GraphKeys::kQueueRunners);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_QUEUE_RUNNER_H_
