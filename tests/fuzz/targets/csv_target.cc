// DecodeCSV, with and without quotes, and numbers as text. The corpus holds records.
#include <string>

#include "tests/fuzz/string_step.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr char kColumns[] = R"pb(
  node {
    name: "x"
    op: "Placeholder"
    attr {
      key: "dtype"
      value { type: DT_STRING }
    }
  }
  node {
    name: "f"
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
          tensor_shape {}
          float_val: 0.5
        }
      }
    }
  }
  node {
    name: "i"
    op: "Const"
    attr {
      key: "dtype"
      value { type: DT_INT32 }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_INT32
          tensor_shape { dim { size: 1 } }
          int_val: 3
        }
      }
    }
  }
  node {
    name: "l"
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
          tensor_shape { dim { size: 0 } }
        }
      }
    }
  }
  node {
    name: "s"
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
          string_val: "none"
        }
      }
    }
  }
  node {
    name: "csv"
    op: "DecodeCSV"
    input: "x"
    input: "f"
    input: "i"
    input: "l"
    input: "s"
    attr {
      key: "OUT_TYPE"
      value { list { type: [ DT_FLOAT, DT_INT32, DT_INT64, DT_STRING ] } }
    }
  }
  node {
    name: "plain"
    op: "DecodeCSV"
    input: "x"
    input: "i"
    input: "s"
    attr {
      key: "OUT_TYPE"
      value { list { type: [ DT_INT32, DT_STRING ] } }
    }
    attr {
      key: "field_delim"
      value { s: ";" }
    }
    attr {
      key: "use_quote_delim"
      value { b: false }
    }
    attr {
      key: "na_value"
      value { s: "NA" }
    }
    attr {
      key: "select_cols"
      value { list { i: [ 0, 2 ] } }
    }
  }
  node {
    name: "float"
    op: "StringToNumber"
    input: "x"
    attr {
      key: "out_type"
      value { type: DT_FLOAT }
    }
  }
  node {
    name: "int"
    op: "StringToNumber"
    input: "x"
    attr {
      key: "out_type"
      value { type: DT_INT64 }
    }
  }
)pb";

void Run(const std::string& record) {
  static auto& quoted = *new StringStep(kColumns, {"csv:0", "csv:1", "csv:2", "csv:3"});
  static auto& plain = *new StringStep(kColumns, {"plain:0", "plain:1"});
  static auto& to_float = *new StringStep(kColumns, {"float:0"});
  static auto& to_int = *new StringStep(kColumns, {"int:0"});
  const Tensor one = Tensor::Scalar<std::string>(record);
  const Tensor two = Tensor::Vector<std::string>({record, record.substr(0, record.size() / 2)});
  quoted.Run(one).IgnoreError();
  quoted.Run(two).IgnoreError();
  plain.Run(two).IgnoreError();
  to_float.Run(one).IgnoreError();
  to_int.Run(one).IgnoreError();
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
