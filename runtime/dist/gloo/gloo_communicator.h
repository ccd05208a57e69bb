// GlooCommunicator: a TaskCommunicator for tensors in the memory of CPUs, over Gloo's TCP
// transport.
//
//   addresses["/job:worker/replica:0/task:0"] = "a:2222";  …
//   MakeTaskCommunicator make = GlooCommunicators(addresses);
//   WB_ASSIGN_OR_RETURN(auto tasks, make(names, /*rank=*/0));
//
// Every two tasks of a group have a socket of their own on a port that the system chooses; which of
// its addresses a task listens on is the one from which it reaches the others. The first to connect
// to it is taken for the other task, without a proof, as is the custom in networks that only the
// job's tasks are on; nothing is encrypted (Debian's Gloo is built without TLS).
//
// The algorithms are written on Gloo's sends and receives, for Gloo's own cannot be ended from
// outside while the other side is silent (its waits are for a timeout, and closing a connection
// wakes only those who wait at the other end), and add up in another order for each part of the
// data. What is reduced is cut into a part for each task, which receives the others' pieces of it,
// merges them in the order of the ranks and sends the result back, block by block.
//
// Ownership, thread safety and errors: as TaskCommunicator. Exceptions do not leave it.
#ifndef WARPBEAM_RUNTIME_DIST_GLOO_GLOO_COMMUNICATOR_H_
#define WARPBEAM_RUNTIME_DIST_GLOO_GLOO_COMMUNICATOR_H_

#include <map>
#include <string>

#include "runtime/comm/task_communicator.h"

namespace warpbeam {

// `addresses`: where each task of the cluster serves ("host:port"), by name.
MakeTaskCommunicator GlooCommunicators(std::map<std::string, std::string> addresses);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GLOO_GLOO_COMMUNICATOR_H_
