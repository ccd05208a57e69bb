// Ops that decode what a string holds: JSON, compressed data, base64, tensors, raw numbers, sparse
// tensors, Unicode. An input goes through all of them.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/string_step.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr char kGraph[] = R"pb(
  node {
    name: "x"
    op: "Placeholder"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
  }
  node { name: "json" op: "DecodeJSONExample" input: "x" }
  node {
    name: "zlib"
    op: "DecodeCompressed"
    input: "x"
    attr {
      key: "compression_type"
      value { s: "ZLIB" }
    }
  }
  node {
    name: "gzip"
    op: "DecodeCompressed"
    input: "x"
    attr {
      key: "compression_type"
      value { s: "GZIP" }
    }
  }
  node { name: "base64" op: "DecodeBase64" input: "x" }
  node {
    name: "tensor_f"
    op: "ParseTensor"
    input: "x"
    attr {
      key: "out_type"
      value { type: DT_FLOAT }
    }
  }
  node {
    name: "tensor_s"
    op: "ParseTensor"
    input: "x"
    attr {
      key: "out_type"
      value { type: DT_STRING }
    }
  }
  node {
    name: "raw"
    op: "DecodeRaw"
    input: "x"
    attr {
      key: "out_type"
      value { type: DT_INT32 }
    }
    attr {
      key: "little_endian"
      value { b: false }
    }
  }
  node {
    name: "utf8"
    op: "UnicodeDecode"
    input: "x"
    attr {
      key: "input_encoding"
      value { s: "UTF-8" }
    }
    attr {
      key: "Tsplits"
      value { type: DT_INT64 }
    }
  }
  node {
    name: "utf16"
    op: "UnicodeTranscode"
    input: "x"
    attr {
      key: "input_encoding"
      value { s: "UTF-16-BE" }
    }
    attr {
      key: "output_encoding"
      value { s: "UTF-8" }
    }
    attr {
      key: "errors"
      value { s: "ignore" }
    }
  }
)pb";

void Run(const std::string& input) {
  static const std::vector<StringStep*>& steps = *[] {
    auto* made = new std::vector<StringStep*>;
    for (const char* node :
         {"json", "zlib", "gzip", "base64", "tensor_f", "tensor_s", "raw", "utf8", "utf16"}) {
      made->push_back(new StringStep(kGraph, {absl::StrCat(node, ":0")}));
    }
    return made;
  }();
  const Tensor x = Tensor::Scalar<std::string>(input);
  for (StringStep* step : steps) step->Run(x).IgnoreError();
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
