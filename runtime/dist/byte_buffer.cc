#include "runtime/dist/byte_buffer.h"

#include <grpcpp/grpcpp.h>

#include <string>
#include <utility>

namespace warpbeam {
namespace {

template <class Owned>
void Destroy(void* owned) {
  delete static_cast<Owned*>(owned);
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(std::vector<WirePiece> pieces) {
  std::vector<grpc::Slice> slices;
  for (WirePiece& piece : pieces) {
    auto* const bytes = new std::string(std::move(piece.bytes));
    slices.emplace_back(bytes->data(), bytes->size(), Destroy<std::string>, bytes);
    if (!piece.values.has_value()) continue;
    auto* const values = new Tensor(std::move(piece.values));
    slices.emplace_back(values->raw_data(), values->bytes(), Destroy<Tensor>, values);
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace warpbeam
