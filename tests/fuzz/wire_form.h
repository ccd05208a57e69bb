// Messages as bytes, maps in the order of their keys: a seed must make the same input every time.
//
//   std::string bytes = WireForm(graph);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TESTS_FUZZ_WIRE_FORM_H_
#define WARPBEAM_TESTS_FUZZ_WIRE_FORM_H_

#include <string>

namespace google {
namespace protobuf {
class MessageLite;
}  // namespace protobuf
}  // namespace google

namespace warpbeam {
namespace fuzz {

std::string WireForm(const google::protobuf::MessageLite& message);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_WIRE_FORM_H_
