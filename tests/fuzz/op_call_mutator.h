// Changes one call of one op in a case: the values, shapes and types of its inputs, its attributes
// as the op's schema has them, and how many inputs it has.
//
//   Case c;  c.add_ops("CTCLoss");                       // which op
//   MutateCall(random, &c);
//
// The inputs are constants and feeds; what is computed is followed back to some, or a constant
// takes its place. Several changes in a row may make an input that fits again, such as another type
// throughout.
//
// Thread safety: pure. Errors: none; where there is no such call, the graph is changed anywhere.
#ifndef WARPBEAM_TESTS_FUZZ_OP_CALL_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_OP_CALL_MUTATOR_H_

#include "graph/op/op_schema.h"
#include "tests/fuzz/random_source.h"

namespace conformance {
class Case;
}  // namespace conformance

namespace warpbeam {
namespace fuzz {

void MutateCall(RandomSource& random, conformance::Case* c);
// A case with nothing but one call, whose inputs go with its attributes.
conformance::Case MakeCall(RandomSource& random, const OpSchema& schema);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_OP_CALL_MUTATOR_H_
