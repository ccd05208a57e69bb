#include "tools/cli/model_input.h"

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "graph/io/graph_file.h"
#include "tools/cli/literal.h"
#include "tools/cli/npy.h"

namespace warpbeam {
namespace cli {
namespace {

bool IsPicture(const std::string& path) {
  const std::string lower = absl::AsciiStrToLower(path);
  for (const char* ending : {".png", ".jpg", ".jpeg", ".bmp", ".gif"}) {
    if (absl::EndsWith(lower, ending)) return true;
  }
  return false;
}

// The picture's pixels, by the op that models use themselves.
StatusOr<Tensor> Decode(std::string bytes, int64_t channels) {
  auto graph = std::make_shared<Graph>();
  WB_ASSIGN_OR_RETURN(Node * contents,
                      AddConstant(graph.get(), "contents", Tensor::Scalar(std::move(bytes))));
  WB_RETURN_IF_ERROR(NodeBuilder(graph.get(), "DecodeImage")
                         .Input(contents)
                         .Attr("channels", channels)
                         .Attr("expand_animations", false)
                         .Name("image")
                         .Build()
                         .status());
  SessionOptions options;
  options.inter_op_threads = options.intra_op_threads = 1;
  options.passes = "none";
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Create(options, std::move(graph)));
  std::vector<Tensor> fetched;
  WB_RETURN_IF_ERROR(session->Run({}, {}, {"image"}, {}, &fetched, nullptr));
  return fetched[0];
}

template <class T>
StatusOr<Tensor> Converted(const Tensor& pixels) {
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DTypeOf<T>::value, pixels.shape()));
  const uint8_t* from = pixels.data<uint8_t>();
  T* to = out.data<T>();
  for (int64_t i = 0; i < pixels.num_elements(); ++i)
    to[i] = static_cast<T>(static_cast<int>(from[i]));
  return out;
}

StatusOr<Tensor> Convert(const Tensor& pixels, DType to) {
  switch (to) {
    case DType::kUInt8:
      return pixels;
    case DType::kFloat:
      return Converted<float>(pixels);
    case DType::kDouble:
      return Converted<double>(pixels);
    case DType::kHalf:
      return Converted<Half>(pixels);
    case DType::kBFloat16:
      return Converted<BFloat16>(pixels);
    case DType::kInt32:
      return Converted<int32_t>(pixels);
    case DType::kInt64:
      return Converted<int64_t>(pixels);
    default:
      return InvalidArgument("a picture does not become ", DTypeName(to));
  }
}

// With a dimension of 1 in front, or without the one at the end, where the input is so.
StatusOr<Tensor> Fit(const Tensor& picture, const PartialShape& wanted) {
  const int rank = wanted.rank();  // -1 when unknown
  if (picture.rank() == 3 && rank == 4) {
    WB_ASSIGN_OR_RETURN(const Shape batch, picture.shape().Insert(0, 1));
    return picture.Reshaped(batch);
  }
  if (picture.rank() == 3 && rank == 2 && picture.dim(2) == 1) {
    return picture.Reshaped(picture.shape().Remove(2));
  }
  return picture;
}

StatusOr<Tensor> ReadPicture(const std::string& path, const TensorPort& port) {
  WB_ASSIGN_OR_RETURN(std::string bytes, ReadFileBytes(path));
  if (port.dtype == DType::kString) {
    const Tensor scalar = Tensor::Scalar(std::move(bytes));
    return port.shape.rank() == 1 ? scalar.Reshaped(Shape({1})) : scalar;
  }
  int64_t channels = 0;  // as many as the file has
  if (port.shape.rank() >= 3) channels = std::max<int64_t>(0, port.shape.dims().back());
  if (port.shape.rank() == 2) channels = 1;
  auto pixels = Decode(std::move(bytes), channels);
  if (!pixels.ok()) return Annotate(pixels.status(), path);
  WB_ASSIGN_OR_RETURN(const Tensor picture, Convert(*pixels, port.dtype));
  return Fit(picture, port.shape);
}

}  // namespace

StatusOr<Tensor> ReadInput(const std::string& text, const TensorPort& port) {
  if (absl::EndsWith(text, ".npy")) return ReadNpy(text);
  if (IsPicture(text)) return ReadPicture(text, port);
  return ParseLiteral(text, port.dtype);
}

StatusOr<NamedTensors> ReadInputs(const std::vector<std::string>& inputs,
                                  const Signature& signature) {
  NamedTensors tensors;
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidArgument("--input=", input, ": an input is NAME=FILE or NAME=VALUE");
    }
    const std::string name = input.substr(0, equals);
    const auto port = signature.inputs.find(name);
    if (port == signature.inputs.end()) {
      tensors.emplace_back(name, Tensor());
      continue;
    }
    auto tensor = ReadInput(input.substr(equals + 1), port->second);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("input '", name, "'"));
    tensors.emplace_back(name, *std::move(tensor));
  }
  return tensors;
}

}  // namespace cli
}  // namespace warpbeam
