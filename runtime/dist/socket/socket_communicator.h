// SocketCommunicator: a TaskCommunicator for tensors in the memory of CPUs, over sockets of its
// own.
//
//   addresses["/job:worker/replica:0/task:0"] = "a:2222";  …
//   MakeTaskCommunicator make = SocketCommunicators(addresses, tls);
//   WB_ASSIGN_OR_RETURN(auto tasks, make(names, /*rank=*/0));
//
// Every two tasks of a group have a socket of their own. A task listens, until all have connected,
// on the address from which it reaches the others, on a port that the system chooses; who connects
// shows the token that goes with the address, and its certificate where the cluster has TLS.
// Everybody else is sent away without having been believed anything.
//
// What is reduced is cut into a part for each task, which receives the others' pieces of it, merges
// them in the order of the ranks and sends the result back, block by block. So all have the same
// bits, and those of one process.
//
// Ownership, thread safety and errors: as TaskCommunicator.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_COMMUNICATOR_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_COMMUNICATOR_H_

#include <map>
#include <string>

#include "runtime/comm/task_communicator.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

// `addresses`: where each task of the cluster serves ("host:port"), by name; the certificates are
// for these hosts.
MakeTaskCommunicator SocketCommunicators(std::map<std::string, std::string> addresses,
                                         const TlsFiles& tls = {});

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_COMMUNICATOR_H_
