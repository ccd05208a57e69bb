// Summaries as serialized Summary messages: what the ops that give them out and those that write
// them to files have in common.
//
//   WB_ASSIGN_OR_RETURN(std::string summary, HistogramContent(tag, ctx.input(1)));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for values of which there is no such summary.
#ifndef WARPBEAM_OPS_SUMMARY_SUMMARY_CONTENT_H_
#define WARPBEAM_OPS_SUMMARY_SUMMARY_CONTENT_H_

#include <string>

#include "graph/types/span.h"
#include "graph/types/tensor.h"

namespace warpbeam {

StatusOr<std::string> HistogramContent(const std::string& tag, const Tensor& values);

// `images` is [batch, height, width, channels]; `bad_color`, of as many channels at least, stands
// for pixels that are not finite.
StatusOr<std::string> ImageContent(const std::string& tag, const Tensor& images, int64_t max_images,
                                   Span<const uint8_t> bad_color);

// `sounds` is [batch, frames] or [batch, frames, channels].
StatusOr<std::string> AudioContent(const std::string& tag, const Tensor& sounds, float rate,
                                   int64_t max_outputs);

// `metadata` is a serialized SummaryMetadata; what cannot be read is none.
StatusOr<std::string> TensorContent(const std::string& tag, const Tensor& tensor,
                                    const std::string& metadata);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SUMMARY_SUMMARY_CONTENT_H_
