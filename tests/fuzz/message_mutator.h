// Changes a message of any type in one place, by what its fields are: numbers, names, lists, flags.
//
//   MutateMessage(random, &meta_graph);
//
// Graphs and tensors in it are changed as such (graph_mutator.h, tensor_mutator.h). The same
// numbers make the same change, whatever order a map has in memory.
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TESTS_FUZZ_MESSAGE_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_MESSAGE_MUTATOR_H_

#include "tests/fuzz/random_source.h"

namespace google {
namespace protobuf {
class Message;
}  // namespace protobuf
}  // namespace google

namespace warpbeam {
namespace fuzz {

void MutateMessage(RandomSource& random, google::protobuf::Message* message);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_MESSAGE_MUTATOR_H_
