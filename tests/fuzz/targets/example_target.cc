// Serialized tf.train.Example messages, for one example and for a batch. The corpus holds Examples
// with the features that the graph below asks for.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "proto/example.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/string_step.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

// Features by name: dense "f" (two floats), "v" (any number of pairs of int64) and "b" (a string),
// sparse "s" (strings) and "n" (int64), ragged "r" (floats).
constexpr char kGraph[] = R"pb(
  node {
    name: "x"
    op: "Placeholder"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
  }
  node {
    name: "names"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_STRING
          tensor_shape { dim { size: 0 } }
        }
      }
    }
  }
  node {
    name: "dense_keys"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_STRING
          tensor_shape { dim { size: 3 } }
          string_val: [ "f", "v", "b" ]
        }
      }
    }
  }
  node {
    name: "sparse_keys"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_STRING
          tensor_shape { dim { size: 2 } }
          string_val: [ "s", "n" ]
        }
      }
    }
  }
  node {
    name: "ragged_keys"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_STRING
          tensor_shape { dim { size: 1 } }
          string_val: "r"
        }
      }
    }
  }
  node {
    name: "default_f"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_FLOAT }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_FLOAT
          tensor_shape { dim { size: 2 } }
          float_val: 1.5
        }
      }
    }
  }
  node {
    name: "default_v"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_INT64 }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_INT64
          tensor_shape {}
          int64_val: -1
        }
      }
    }
  }
  node {
    name: "default_b"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_STRING
          tensor_shape {}
          string_val: "-"
        }
      }
    }
  }
  node {
    name: "parse"
    op: "ParseExampleV2"
    input: [
      "x",
      "names",
      "sparse_keys",
      "dense_keys",
      "ragged_keys",
      "default_f",
      "default_v",
      "default_b"
    ]
    attr {
      key: "Tdense"
      value { list { type: [ DT_FLOAT, DT_INT64, DT_STRING ] } }
    }
    attr {
      key: "num_sparse"
      value { i: 2 }
    }
    attr {
      key: "sparse_types"
      value { list { type: [ DT_STRING, DT_INT64 ] } }
    }
    attr {
      key: "ragged_value_types"
      value { list { type: DT_FLOAT } }
    }
    attr {
      key: "ragged_split_types"
      value { list { type: DT_INT32 } }
    }
    attr {
      key: "dense_shapes"
      value {
        list {
          shape { dim { size: 2 } }
          shape {
            dim { size: -1 }
            dim { size: 2 }
          }
          shape {}
        }
      }
    }
  }
)pb";

void Run(const std::string& example) {
  static auto& step = *[] {
    std::vector<std::string> fetches;
    for (int i = 0; i < 11; ++i) fetches.push_back(absl::StrCat("parse:", i));
    return new StringStep(kGraph, std::move(fetches));
  }();
  step.Run(Tensor::Scalar<std::string>(example)).IgnoreError();
  step.Run(Tensor::Vector<std::string>({example, "", example.substr(0, example.size() / 2)}))
      .IgnoreError();
  step.Run(Tensor::Vector<std::string>({"", example, example})).IgnoreError();
}

void MutateFeature(RandomSource& random, tensorflow::Feature* feature) {
  switch (random.Below(6)) {
    case 0:
      feature->mutable_float_list()->add_value(std::numeric_limits<float>::quiet_NaN());
      return;
    case 1:
      feature->mutable_int64_list()->add_value(random.EdgeInt());
      return;
    case 2:
      MutateBytes(random, 64, feature->mutable_bytes_list()->add_value());
      return;
    case 3:
      if (feature->int64_list().value_size() > 0) {
        feature->mutable_int64_list()->mutable_value()->RemoveLast();
      } else if (feature->float_list().value_size() > 0) {
        feature->mutable_float_list()->mutable_value()->RemoveLast();
      }
      return;
    case 4:
      feature->clear_kind();
      return;
    default:
      feature->mutable_int64_list()->clear_value();
  }
}

// The message with one of its features changed.
std::string MutatedExample(RandomSource& random, tensorflow::Example example) {
  static constexpr const char* kKeys[] = {"f", "v", "b", "s", "n", "r"};
  auto& features = *example.mutable_features()->mutable_feature();
  const char* const key = random.Pick(kKeys);
  if (random.OneIn(6)) {
    features.erase(key);
  } else {
    MutateFeature(random, &features[key]);
  }
  return WireForm(example);
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  tensorflow::Example example;
  if (random.OneIn(2) && example.ParseFromString(bytes)) {
    bytes = warpbeam::fuzz::MutatedExample(random, std::move(example));
    bytes.resize(std::min(bytes.size(), max_size));
  } else {
    warpbeam::fuzz::MutateBytes(random, max_size, &bytes);
  }
  memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
