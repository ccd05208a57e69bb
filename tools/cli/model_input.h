// The inputs of a model as they are given on the command line: x=FILE.npy, x=FILE.png (or .jpg,
// .bmp, .gif) or x=LITERAL.
//
//   WB_ASSIGN_OR_RETURN(NamedTensors inputs, ReadInputs({"x=[1,2,3]"}, signature));
//
// A picture is fed as its bytes to an input of strings. To any other it is decoded, with as many
// channels as the input's last dimension, its values 0 to 255 converted to the input's dtype as
// they are, and gets a batch dimension where the input has four. Literals are of the input's dtype.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for text that is no input, or no literal; those of
// reading and decoding files, all with the input's name; names that are no inputs are left to
// Model::Run, with values of no shape.
#ifndef WARPBEAM_TOOLS_CLI_MODEL_INPUT_H_
#define WARPBEAM_TOOLS_CLI_MODEL_INPUT_H_

#include <string>
#include <vector>

#include "graph/io/meta_graph/meta_graph.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

StatusOr<NamedTensors> ReadInputs(const std::vector<std::string>& inputs,
                                  const Signature& signature);
// What stands behind the '='.
StatusOr<Tensor> ReadInput(const std::string& text, const TensorPort& port);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_MODEL_INPUT_H_
