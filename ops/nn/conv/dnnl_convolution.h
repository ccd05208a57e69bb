// DnnlConvolution: a convolution of one shape, or one of its gradients, compiled by oneDNN.
//
// The library wants filters, and sometimes data, in layouts of its own. The filter is laid out anew
// once a call (`PrepareFilter`, `FinishFilter`), data by the thread that needs it, within
// `scratch`. Each object is for a batch of a given size; a larger batch is shared out in parts.
// The gradient of the input is, where that is faster, the convolution of the output's gradient with
// the mirrored filter.
//
//   WB_ASSIGN_OR_RETURN(auto conv, DnnlConvolution::Make(ConvPass::kForward, geometry));
//   conv->PrepareFilter(filter, prepared);               // conv->filter_bytes() bytes
//   conv->Run(input, prepared, output, scratch);         // conv->scratch_bytes() bytes
//
// What Run takes, in order, by pass: forward (input, filter -> output), backward to the input
// (output's gradient, filter -> input's gradient), backward to the filter (input, output's gradient
// -> filter's gradient, in the library's layout).
//
// Thread safety: immutable; any number of threads may run it at once. Errors: UNIMPLEMENTED where
// the library cannot do it, RESOURCE_EXHAUSTED, INTERNAL.
#ifndef WARPBEAM_OPS_NN_CONV_DNNL_CONVOLUTION_H_
#define WARPBEAM_OPS_NN_CONV_DNNL_CONVOLUTION_H_

#include <memory>

#include "ops/math/dnnl_primitive.h"
#include "ops/nn/conv/conv_geometry.h"

namespace warpbeam {

enum class ConvPass { kForward, kBackwardInput, kBackwardFilter };

class DnnlConvolution {
 public:
  // Elements are float; data is plain with its channels last.
  static StatusOr<std::shared_ptr<const DnnlConvolution>> Make(ConvPass pass,
                                                               const ConvGeometry& geometry);

  size_t filter_bytes() const { return filter_bytes_; }
  size_t scratch_bytes() const { return scratch_bytes_; }
  bool filter_is_plain() const { return filter_order_ == nullptr && !is_mirrored_; }
  // Whether PrepareFilter gives the same bytes for the other one.
  bool PreparesFilterAs(const DnnlConvolution& other) const {
    return is_mirrored_ == other.is_mirrored_ &&
           dnnl_memory_desc_equal(&filter_wanted_, &other.filter_wanted_) != 0;
  }
  Status PrepareFilter(const void* plain, void* prepared) const;
  Status FinishFilter(const void* prepared, void* plain) const;
  Status Run(const void* a, const void* b, void* result, void* scratch) const;

 private:
  // One of the operands, and how it gets into the library's layout.
  struct Operand {
    int argument = 0;
    dnnl_memory_desc_t plain = {};
    dnnl_memory_desc_t wanted = {};
    DnnlPrimitive order;  // null when the layouts are the same
    size_t offset = 0;    // in the scratch memory
  };

  Status Describe(const ConvGeometry& g, bool own_layouts);
  Status AddOperand(int argument, const dnnl_memory_desc_t& plain, dnnl_query_t query,
                    bool is_result, Operand* operand);

  ConvPass pass_ = ConvPass::kForward;  // forward, too, with a mirrored filter
  bool is_mirrored_ = false;
  DnnlDescription description_;
  DnnlPrimitive primitive_;
  Operand input_, output_;  // data on either side of the convolution
  dnnl_memory_desc_t filter_plain_ = {}, filter_wanted_ = {}, scratch_wanted_ = {};
  DnnlPrimitive filter_order_;
  int64_t taps_ = 0;
  size_t mirror_offset_ = 0;  // of the mirrored filter, in the memory of the prepared one
  size_t filter_bytes_ = 0;
  size_t scratch_bytes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_DNNL_CONVOLUTION_H_
