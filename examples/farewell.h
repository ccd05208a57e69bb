// Farewell: the tasks of a cluster end together. A worker that is done waits for the others, whose
// sessions may still need its task; a parameter server ends when all workers have.
//
//   Farewell farewell(scope, /*num_ps=*/1, /*num_workers=*/2);     // before the session is made
//   …                                                              // training
//   Status left = farewell.Leave(session, task_index);             // a worker
//   Status ended = farewell.AwaitWorkers(session, task_index);     // a parameter server
//
// Each task has a queue on a parameter server, which workers put one element each into. SIGINT and
// SIGTERM end the waiting where the program catches them (StopOnSignals): a worker that was killed
// never comes.
//
// Ownership: none. Thread safety: that of the scope and the session. Errors: of building, kept in
// the scope; those of the session, but for a parameter server that has ended before it answered.
#ifndef WARPBEAM_EXAMPLES_FAREWELL_H_
#define WARPBEAM_EXAMPLES_FAREWELL_H_

#include <vector>

#include "frontend/client_session.h"

namespace warpbeam {
namespace examples {

class Farewell {
 public:
  Farewell(const frontend::Scope& scope, int num_ps, int num_workers);

  frontend::Status Leave(frontend::ClientSession& session, int worker) const;
  frontend::Status AwaitWorkers(frontend::ClientSession& session, int ps) const;

 private:
  struct Ended {
    frontend::Operation tell;
    frontend::Operation hear;
  };

  // All workers' elements.
  frontend::Status HearAll(frontend::ClientSession& session, const Ended& ended) const;

  const int num_workers_;
  std::vector<Ended> ps_, workers_;
};

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_FAREWELL_H_
