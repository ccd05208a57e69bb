// What keeps a server from listening, told before it tries: libraries say only that it failed, and
// are content with one of several addresses that a name has.
//
//   WB_RETURN_IF_ERROR(CheckCanListen("localhost", 2222));
//
// may say "cannot listen on localhost:2222: process 4711 (python3) listens there".
//
// Thread safety: pure functions that ask the system. Errors: UNAVAILABLE naming the address, and
// the reason or the process.
#ifndef WARPBEAM_RUNTIME_DIST_LISTENING_H_
#define WARPBEAM_RUNTIME_DIST_LISTENING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

// Whether only this machine reaches what listens there.
bool IsLoopback(absl::string_view host);
// Where the task listens whose host the others know as `host`: there where that is this machine's
// loopback, else on all interfaces.
std::string ListeningHost(const std::string& host);

// `host` may be a name or a number, in brackets or not; on port 0 anybody can listen.
Status CheckCanListen(const std::string& host, int port);

// "process 4711 (python3)", which listens on the port; "" where the system does not tell, as of
// other users' processes.
std::string ProcessOnPort(int port);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LISTENING_H_
