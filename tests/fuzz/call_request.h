// The requests of a script's calls (call_script.proto) as messages.
//
//   std::unique_ptr<Message> request = NewRequest(call.method());
//   if (request->ParseFromString(call.request())) ReplaceHandles(request.get(), handle_of);
//
// Thread safety: pure. Errors: none; a method that there is none of asks for the devices.
#ifndef WARPBEAM_TESTS_FUZZ_CALL_REQUEST_H_
#define WARPBEAM_TESTS_FUZZ_CALL_REQUEST_H_

#include <functional>
#include <memory>
#include <string>

namespace google {
namespace protobuf {
class Message;
}  // namespace protobuf
}  // namespace google

namespace warpbeam {
namespace fuzz {

std::unique_ptr<google::protobuf::Message> NewRequest(int method);
// Puts `handle` in the place of each "#NUMBER" in the request's session_handle,
// partial_run_handle and graph_handle.
using HandleOf = std::function<std::string(const std::string& field, int number)>;
void ReplaceHandles(google::protobuf::Message* request, const HandleOf& handle);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_CALL_REQUEST_H_
