#include "ops/nn/conv/dnnl_convolution.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace warpbeam {
namespace {

// Descriptions by dimensions in the library's order and strides in elements.
struct Layout {
  int rank = 0;
  dnnl_dims_t dims = {};
  dnnl_dims_t strides = {};

  void Add(int64_t dim, int64_t stride) {
    dims[rank] = dim;
    strides[rank++] = stride;
  }
  Status Describe(dnnl_memory_desc_t* plain) const {
    return DnnlStatus(dnnl_memory_desc_init_by_strides(plain, rank, dims, dnnl_f32, strides),
                      "a layout");
  }
  Status DescribeAny(dnnl_memory_desc_t* any) const {
    return DnnlStatus(dnnl_memory_desc_init_by_tag(any, rank, dims, dnnl_f32, dnnl_format_tag_any),
                      "a layout");
  }
};

// Images without depth are described without it: there are more implementations of those.
int FirstAxis(const ConvGeometry& g) {
  return g.input[0] == 1 && g.filter[0] == 1 && g.output[0] == 1 ? 1 : 0;
}

Layout DataLayout(const ConvGeometry& g, const int64_t extents[3], int64_t channels) {
  Layout layout;
  layout.Add(g.batch, extents[0] * extents[1] * extents[2] * channels);
  layout.Add(channels, 1);
  int64_t stride[3] = {extents[1] * extents[2] * channels, extents[2] * channels, channels};
  for (int i = FirstAxis(g); i < 3; ++i) layout.Add(extents[i], stride[i]);
  return layout;
}

// The filter of a mirrored convolution has its channels the other way round.
Layout FilterLayout(const ConvGeometry& g, bool is_mirrored) {
  Layout layout;
  const int64_t out = g.out_channels, in = g.group_inputs();
  if (g.groups > 1) layout.Add(g.groups, g.group_outputs());
  layout.Add(g.group_outputs(), is_mirrored ? in : 1);
  layout.Add(in, is_mirrored ? 1 : out);
  const int64_t stride[3] = {g.filter[1] * g.filter[2] * in * out, g.filter[2] * in * out,
                             in * out};
  for (int i = FirstAxis(g); i < 3; ++i) layout.Add(g.filter[i], stride[i]);
  return layout;
}

// Whether a filter reaches so far beyond the image that bytes on the way there are no longer
// counted in 32 bits, as the library's kernels do.
bool ReachesTooFar(const ConvGeometry& g) {
  double bytes = sizeof(float) * static_cast<double>(std::max(g.in_channels, g.out_channels));
  bool is_beyond = false;
  for (int i = 0; i < 3; ++i) {
    const double reach =
        static_cast<double>(g.dilation[i]) * static_cast<double>(g.filter[i] - 1) + 1;
    const double padded = static_cast<double>(g.input[i]) + static_cast<double>(g.before[i]) +
                          static_cast<double>(g.after[i]);
    bytes *= std::max({reach, padded, 1.0});
    is_beyond |= std::max(reach, padded) > 2 * static_cast<double>(g.input[i]);
  }
  return is_beyond && bytes > std::numeric_limits<int32_t>::max();
}

bool HasStrides(const ConvGeometry& g) {
  return g.stride[0] != 1 || g.stride[1] != 1 || g.stride[2] != 1;
}

// Whether the gradient of the input had better be computed as a convolution: the library's are 10
// to 20 % faster than its gradients where the result has channels for two registers or more.
bool IsFasterMirrored(const ConvGeometry& g) {
  constexpr int64_t kManyChannels = 32;
  if (g.groups != 1 || g.in_channels < kManyChannels || HasStrides(g)) return false;
  for (int i = 0; i < 3; ++i) {
    const int64_t reach = g.dilation[i] * (g.filter[i] - 1);
    if (g.before[i] > reach || g.after[i] > reach) return false;
  }
  return true;
}

// The convolution of the output's gradient with the mirrored filter that gives the input's.
ConvGeometry Mirrored(const ConvGeometry& g) {
  ConvGeometry mirrored = g;
  std::swap(mirrored.in_channels, mirrored.out_channels);
  std::swap(mirrored.input, mirrored.output);
  for (int i = 0; i < 3; ++i) {
    const int64_t reach = g.dilation[i] * (g.filter[i] - 1);
    mirrored.before[i] = reach - g.before[i];
    mirrored.after[i] = reach - g.after[i];
  }
  return mirrored;
}

}  // namespace

Status DnnlConvolution::Describe(const ConvGeometry& g, bool own_layouts) {
  const Layout input = DataLayout(g, g.input, g.in_channels);
  const Layout output = DataLayout(g, g.output, g.out_channels);
  const Layout filter = FilterLayout(g, is_mirrored_);
  WB_RETURN_IF_ERROR(input.Describe(&input_.plain));
  WB_RETURN_IF_ERROR(output.Describe(&output_.plain));
  WB_RETURN_IF_ERROR(filter.Describe(&filter_plain_));
  dnnl_memory_desc_t in = input_.plain, out = output_.plain, any_filter;
  WB_RETURN_IF_ERROR(filter.DescribeAny(&any_filter));
  if (own_layouts) {
    WB_RETURN_IF_ERROR(input.DescribeAny(&in));
    WB_RETURN_IF_ERROR(output.DescribeAny(&out));
  }
  dnnl_dims_t stride, dilation, before, after;
  for (int i = FirstAxis(g), n = 0; i < 3; ++i, ++n) {
    stride[n] = g.stride[i];
    dilation[n] = g.dilation[i] - 1;
    before[n] = g.before[i];
    after[n] = g.after[i];
  }
  dnnl_convolution_desc_t conv;
  dnnl_status_t status;
  if (pass_ == ConvPass::kForward) {
    status = dnnl_dilated_convolution_forward_desc_init(
        &conv, dnnl_forward_inference, dnnl_convolution_direct, &in, &any_filter, nullptr, &out,
        stride, dilation, before, after);
  } else if (pass_ == ConvPass::kBackwardInput) {
    status = dnnl_dilated_convolution_backward_data_desc_init(
        &conv, dnnl_convolution_direct, &in, &any_filter, &out, stride, dilation, before, after);
  } else {
    status = dnnl_dilated_convolution_backward_weights_desc_init(&conv, dnnl_convolution_direct,
                                                                 &in, &any_filter, nullptr, &out,
                                                                 stride, dilation, before, after);
  }
  WB_RETURN_IF_ERROR(DnnlStatus(status, "the convolution's description"));
  dnnl_primitive_desc_t made = nullptr;
  WB_RETURN_IF_ERROR(DnnlStatus(
      dnnl_primitive_desc_create(&made, &conv, CallersScratchpad(), DnnlEngine(), nullptr),
      "the convolution"));
  description_.reset(made);
  return OkStatus();
}

Status DnnlConvolution::AddOperand(int argument, const dnnl_memory_desc_t& plain,
                                   dnnl_query_t query, bool is_result, Operand* operand) {
  operand->argument = argument;
  operand->plain = plain;
  operand->wanted = DnnlQuery(description_.get(), query);
  if (dnnl_memory_desc_equal(&operand->plain, &operand->wanted)) return OkStatus();
  operand->offset = scratch_bytes_;
  scratch_bytes_ += DnnlAligned(dnnl_memory_desc_get_size(&operand->wanted));
  return is_result ? MakeDnnlReorder(operand->wanted, operand->plain, &operand->order)
                   : MakeDnnlReorder(operand->plain, operand->wanted, &operand->order);
}

StatusOr<std::shared_ptr<const DnnlConvolution>> DnnlConvolution::Make(
    ConvPass pass, const ConvGeometry& geometry) {
  if (ReachesTooFar(geometry)) return Unimplemented("a filter that reaches far beyond the image");
  auto conv = std::make_shared<DnnlConvolution>();
  conv->is_mirrored_ = pass == ConvPass::kBackwardInput && IsFasterMirrored(geometry);
  const ConvGeometry g = conv->is_mirrored_ ? Mirrored(geometry) : geometry;
  if (conv->is_mirrored_) pass = ConvPass::kForward;
  conv->pass_ = pass;
  conv->taps_ = g.taps();
  // Laying data out anew pays where each element is used often, and only the gradient of a filter
  // with many channels that moves in strides is much slower on plain data.
  constexpr int64_t kManyChannels = 16;
  const bool own_layouts = pass == ConvPass::kBackwardFilter && g.taps() > 1 && HasStrides(g) &&
                           g.group_inputs() >= kManyChannels && g.group_outputs() >= kManyChannels;
  WB_RETURN_IF_ERROR(conv->Describe(g, own_layouts));
  const const_dnnl_primitive_desc_t d = conv->description_.get();
  conv->scratch_wanted_ = DnnlQuery(d, dnnl_query_scratchpad_md);
  conv->scratch_bytes_ = DnnlAligned(DnnlScratchBytes(d));
  const bool to_input = pass == ConvPass::kBackwardInput, forward = pass == ConvPass::kForward;
  const bool to_filter = pass == ConvPass::kBackwardFilter;
  WB_RETURN_IF_ERROR(conv->AddOperand(
      to_input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, conv->input_.plain,
      to_input ? dnnl_query_diff_src_md : dnnl_query_src_md, to_input, &conv->input_));
  WB_RETURN_IF_ERROR(conv->AddOperand(
      forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, conv->output_.plain,
      forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md, forward, &conv->output_));
  conv->filter_wanted_ =
      DnnlQuery(d, to_filter ? dnnl_query_diff_weights_md : dnnl_query_weights_md);
  conv->filter_bytes_ = dnnl_memory_desc_get_size(&conv->filter_wanted_);
  if (!dnnl_memory_desc_equal(&conv->filter_wanted_, &conv->filter_plain_)) {
    WB_RETURN_IF_ERROR(
        to_filter
            ? MakeDnnlReorder(conv->filter_wanted_, conv->filter_plain_, &conv->filter_order_)
            : MakeDnnlReorder(conv->filter_plain_, conv->filter_wanted_, &conv->filter_order_));
  }
  if (conv->is_mirrored_) {
    conv->mirror_offset_ = conv->filter_order_ == nullptr ? 0 : DnnlAligned(conv->filter_bytes_);
    conv->filter_bytes_ = conv->mirror_offset_ + dnnl_memory_desc_get_size(&conv->filter_plain_);
  }
  WB_RETURN_IF_ERROR(MakeDnnlPrimitive(d, &conv->primitive_));
  return conv;
}

Status DnnlConvolution::PrepareFilter(const void* plain, void* prepared) const {
  if (is_mirrored_) {
    const size_t tap = dnnl_memory_desc_get_size(&filter_plain_) / taps_;
    const char* from = static_cast<const char*>(plain);
    char* const mirror = static_cast<char*>(prepared) + mirror_offset_;
    for (int64_t i = taps_ - 1; i >= 0; --i, from += tap) memcpy(mirror + i * tap, from, tap);
    if (filter_order_ == nullptr) return OkStatus();
    plain = mirror;
  }
  return RunDnnl(filter_order_.get(), {{DNNL_ARG_FROM, &filter_plain_, plain},
                                       {DNNL_ARG_TO, &filter_wanted_, prepared}});
}
Status DnnlConvolution::FinishFilter(const void* prepared, void* plain) const {
  return RunDnnl(filter_order_.get(), {{DNNL_ARG_FROM, &filter_wanted_, prepared},
                                       {DNNL_ARG_TO, &filter_plain_, plain}});
}

Status DnnlConvolution::Run(const void* a, const void* b, void* result, void* scratch) const {
  char* memory = static_cast<char*>(scratch);
  const bool to_filter = pass_ == ConvPass::kBackwardFilter;
  const bool to_input = pass_ == ConvPass::kBackwardInput;
  // What lies plain in the caller's memory, and where the library shall find or leave it.
  const void* in = to_input ? result : a;
  const void* out = to_filter ? b : to_input ? a : result;
  const void* filter = to_filter ? result : b;
  const void* in_place = input_.order != nullptr ? memory + input_.offset : in;
  const void* out_place = output_.order != nullptr ? memory + output_.offset : out;
  if (input_.order != nullptr && !to_input) {
    WB_RETURN_IF_ERROR(RunDnnl(input_.order.get(), {{DNNL_ARG_FROM, &input_.plain, in},
                                                    {DNNL_ARG_TO, &input_.wanted, in_place}}));
  }
  if (output_.order != nullptr && pass_ != ConvPass::kForward) {
    WB_RETURN_IF_ERROR(RunDnnl(output_.order.get(), {{DNNL_ARG_FROM, &output_.plain, out},
                                                     {DNNL_ARG_TO, &output_.wanted, out_place}}));
  }
  WB_RETURN_IF_ERROR(
      RunDnnl(primitive_.get(),
              {{input_.argument, &input_.wanted, in_place},
               {output_.argument, &output_.wanted, out_place},
               {to_filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, &filter_wanted_, filter},
               {DNNL_ARG_SCRATCHPAD, &scratch_wanted_, scratch}}));
  if (input_.order != nullptr && to_input) {
    return RunDnnl(input_.order.get(), {{DNNL_ARG_FROM, &input_.wanted, in_place},
                                        {DNNL_ARG_TO, &input_.plain, result}});
  }
  if (output_.order != nullptr && pass_ == ConvPass::kForward) {
    return RunDnnl(output_.order.get(), {{DNNL_ARG_FROM, &output_.wanted, out_place},
                                         {DNNL_ARG_TO, &output_.plain, result}});
  }
  return OkStatus();
}

}  // namespace warpbeam
