// A session of a libwarpbeam.so that is opened at run time, through the C API that it shows: what
// an installed library does is compared with what everybody else expects.
//
//   WB_ASSIGN_OR_RETURN(session, OpenLibrarySession("/usr/lib/libwarpbeam.so", options, graph));
//
// The library's code and this program's are apart: only C's types go from one to the other.
//
// Ownership: the library stays open for the life of the process; tensors are copied. Thread safety:
// one thread at a time. Errors: NOT_FOUND for a file that is no such library; those of the library;
// UNIMPLEMENTED for what the C API has not.
#ifndef WARPBEAM_TESTS_CONFORMANCE_LIBRARY_SESSION_H_
#define WARPBEAM_TESTS_CONFORMANCE_LIBRARY_SESSION_H_

#include <memory>
#include <string>

#include "runtime/session/session.h"

namespace warpbeam {

// Of the options: devices, placement, threads, passes and whether it is deterministic.
StatusOr<std::unique_ptr<Session>> OpenLibrarySession(const std::string& path,
                                                      const SessionOptions& options,
                                                      const std::string& graph_def);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_LIBRARY_SESSION_H_
