// UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode: text in an encoding to
// code points, back, and from one encoding to another.
#include <limits>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/string/unicode_codec.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// What happens to errors.
class ErrorPolicy {
 public:
  static StatusOr<ErrorPolicy> Read(const KernelInit& init) {
    ErrorPolicy policy;
    WB_ASSIGN_OR_RETURN(const std::string errors, init.attr<std::string>("errors"));
    policy.is_strict_ = errors == "strict";
    policy.ignores_ = errors == "ignore";
    WB_ASSIGN_OR_RETURN(const int64_t replacement, init.attr<int64_t>("replacement_char"));
    if (replacement < 0 || replacement > 0x10ffff ||
        !IsCodePoint(static_cast<int32_t>(replacement))) {
      return InvalidArgument("replacement_char out of unicode codepoint range: ", replacement);
    }
    policy.replacement_ = static_cast<int32_t>(replacement);
    if (init.schema.FindAttr("replace_control_characters") != nullptr) {
      WB_ASSIGN_OR_RETURN(policy.replaces_controls_, init.attr<bool>("replace_control_characters"));
    }
    return policy;
  }

  // Calls `visit(code, start)` for what remains of `text`.
  template <class Visit>
  Status DecodeText(TextEncoding encoding, absl::string_view text, Visit visit) const {
    bool failed = false;
    Decode(encoding, text, [&](const DecodedCharacter& c) {
      if (!c.is_error && !(replaces_controls_ && c.code <= 0x1f)) {
        visit(c.code, c.start);
      } else if (is_strict_) {
        failed = true;
      } else if (!ignores_) {
        visit(replacement_, c.start);
      }
    });
    if (failed) return InvalidArgument("Invalid formatting on input string");
    return OkStatus();
  }

  // One code point to be written: false when it is left out.
  StatusOr<bool> Fix(int32_t* code) const {
    if (IsCodePoint(*code)) return true;
    if (is_strict_) {
      return InvalidArgument("Code point is out of range for Unicode, or is a surrogate: ", *code);
    }
    *code = replacement_;
    return !ignores_;
  }

 private:
  bool is_strict_ = false;
  bool ignores_ = false;
  bool replaces_controls_ = false;
  int32_t replacement_ = 0xfffd;
};

StatusOr<TextEncoding> ReadOutputEncoding(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("output_encoding"));
  return FindEncoding(name);
}

template <class S>
class DecodeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<DecodeKernel>();
    WB_ASSIGN_OR_RETURN(kernel->policy_, ErrorPolicy::Read(init));
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("input_encoding"));
    WB_ASSIGN_OR_RETURN(kernel->encoding_, FindEncoding(name));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& input = ctx.input(0);
    const int64_t count = input.num_elements();
    WB_ASSIGN_OR_RETURN(Tensor * splits, ctx.Allocate(0, Shape({count + 1})));
    std::vector<int32_t> codes;
    std::vector<int64_t> starts;
    splits->data<S>()[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
      WB_RETURN_IF_ERROR(policy_.DecodeText(encoding_, input.data<std::string>()[i],
                                            [&](int32_t code, int64_t start) {
                                              codes.push_back(code);
                                              starts.push_back(start);
                                            }));
      if (codes.size() > static_cast<size_t>(std::numeric_limits<S>::max())) {
        return InvalidArgument("more code points than ", DTypeName(DTypeOf<S>::value),
                               " row splits can count");
      }
      splits->data<S>()[i + 1] = static_cast<S>(codes.size());
    }
    ctx.set_output(1, Tensor::Vector<int32_t>(MakeConstSpan(codes)));
    if (ctx.num_outputs() > 2) {
      ctx.set_output(2, Tensor::Vector<int64_t>(MakeConstSpan(starts)));
    }
    return OkStatus();
  }

 private:
  ErrorPolicy policy_;
  TextEncoding encoding_ = TextEncoding::kUtf8;
};

class TranscodeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<TranscodeKernel>();
    WB_ASSIGN_OR_RETURN(kernel->policy_, ErrorPolicy::Read(init));
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("input_encoding"));
    WB_ASSIGN_OR_RETURN(kernel->from_, FindEncoding(name));
    WB_ASSIGN_OR_RETURN(kernel->to_, ReadOutputEncoding(init));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& input = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * output, ctx.Allocate(0, input.shape()));
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      std::string* const out = &output->data<std::string>()[i];
      WB_RETURN_IF_ERROR(
          policy_.DecodeText(from_, input.data<std::string>()[i],
                             [&](int32_t code, int64_t) { AppendEncoded(to_, code, out); }));
    }
    return OkStatus();
  }

 private:
  ErrorPolicy policy_;
  TextEncoding from_ = TextEncoding::kUtf8;
  TextEncoding to_ = TextEncoding::kUtf8;
};

template <class S>
class EncodeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<EncodeKernel>();
    WB_ASSIGN_OR_RETURN(kernel->policy_, ErrorPolicy::Read(init));
    WB_ASSIGN_OR_RETURN(kernel->to_, ReadOutputEncoding(init));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& values = ctx.input(0);
    const Tensor& splits = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckSplits(values, splits));
    const S* const s = splits.data<S>();
    const int64_t rows = splits.num_elements() - 1;
    WB_ASSIGN_OR_RETURN(Tensor * output, ctx.Allocate(0, Shape({rows})));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = s[i]; j < s[i + 1]; ++j) {
        int32_t code = values.data<int32_t>()[j];
        WB_ASSIGN_OR_RETURN(const bool stays, policy_.Fix(&code));
        if (stays) AppendEncoded(to_, code, &output->data<std::string>()[i]);
      }
    }
    return OkStatus();
  }

 private:
  static Status CheckSplits(const Tensor& values, const Tensor& splits) {
    if (values.rank() != 1 || splits.rank() != 1 || splits.num_elements() == 0) {
      return InvalidArgument("input_values and input_splits must be vectors, the second not empty");
    }
    const S* const s = splits.data<S>();
    const int64_t count = splits.num_elements();
    if (s[0] != 0) return InvalidArgument("First value in input_splits must be zero, not ", s[0]);
    for (int64_t i = 1; i < count; ++i) {
      if (s[i] < s[i - 1]) {
        return InvalidArgument("Values in input_splits must be equal or in ascending order");
      }
    }
    if (s[count - 1] != values.num_elements()) {
      return InvalidArgument(
          "Last value in input_splits must be equal to the number of "
          "input_values ",
          values.num_elements(), ", not ", s[count - 1]);
    }
    return OkStatus();
  }

  ErrorPolicy policy_;
  TextEncoding to_ = TextEncoding::kUtf8;
};

Status DecodeShape(ShapeContext& c) {
  c.set_output(0, PartialShape({AddExtents(c.input(0).num_elements(), 1)}));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({-1}));
  return OkStatus();
}

Status EncodeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(1, 1));
  const int64_t count = splits.dim(0);
  if (count == 0) return InvalidArgument("input_splits must not be empty");
  c.set_output(0, PartialShape({count < 0 ? -1 : count - 1}));
  return OkStatus();
}

WB_OP("UnicodeDecode")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Attr("input_encoding: string")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(DecodeShape);
WB_KERNEL("UnicodeDecode", DecodeKernel<int32_t>).Cpu({{"Tsplits", {DType::kInt32}}});
WB_KERNEL("UnicodeDecode", DecodeKernel<int64_t>).Cpu({{"Tsplits", {DType::kInt64}}});

WB_OP("UnicodeDecodeWithOffsets")
    .Input("input: string")
    .Output("row_splits: Tsplits")
    .Output("char_values: int32")
    .Output("char_to_byte_starts: int64")
    .Attr("input_encoding: string")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(DecodeShape);
WB_KERNEL("UnicodeDecodeWithOffsets", DecodeKernel<int32_t>).Cpu({{"Tsplits", {DType::kInt32}}});
WB_KERNEL("UnicodeDecodeWithOffsets", DecodeKernel<int64_t>).Cpu({{"Tsplits", {DType::kInt64}}});

WB_OP("UnicodeEncode")
    .Input("input_values: int32")
    .Input("input_splits: Tsplits")
    .Output("output: string")
    .Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .Attr("replacement_char: int = 65533")
    .Attr("Tsplits: {int32, int64} = DT_INT64")
    .Shape(EncodeShape);
WB_KERNEL("UnicodeEncode", EncodeKernel<int32_t>).Cpu({{"Tsplits", {DType::kInt32}}});
WB_KERNEL("UnicodeEncode", EncodeKernel<int64_t>).Cpu({{"Tsplits", {DType::kInt64}}});

WB_OP("UnicodeTranscode")
    .Input("input: string")
    .Output("output: string")
    .Attr("input_encoding: string")
    .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
    .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
    .Attr("replacement_char: int = 65533")
    .Attr("replace_control_characters: bool = false")
    .Shape(shapes::Unchanged);
WB_KERNEL("UnicodeTranscode", TranscodeKernel).Cpu();

}  // namespace
}  // namespace warpbeam
