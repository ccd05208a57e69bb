// Changes tensors and shapes in their wire form, mostly such that they still parse.
//
//   MutateTensor(random, node.mutable_attr()->at("value").mutable_tensor());
//
// Thread safety: pure. Errors: none; what cannot be changed stays as it is.
#ifndef WARPBEAM_TESTS_FUZZ_TENSOR_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_TENSOR_MUTATOR_H_

#include "tests/fuzz/random_source.h"

namespace tensorflow {
class TensorProto;
class TensorShapeProto;
}  // namespace tensorflow

namespace warpbeam {
namespace fuzz {

void MutateTensor(RandomSource& random, tensorflow::TensorProto* proto);
void MutateShape(RandomSource& random, tensorflow::TensorShapeProto* proto);
// A tensor of the type, of any small shape, filled by FillTensor.
void MakeTensor(RandomSource& random, int type, tensorflow::TensorProto* proto);
// All values anew, by a rule: one edge everywhere, edges, small numbers, counting up or down.
void FillTensor(RandomSource& random, tensorflow::TensorProto* proto);
// The wire number of a type.
int RandomType(RandomSource& random);
// The same values as another type, where both are plain numbers; else zeros of it.
void ConvertTensor(int type, tensorflow::TensorProto* proto);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_TENSOR_MUTATOR_H_
