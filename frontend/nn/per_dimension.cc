#include "frontend/nn/per_dimension.h"

#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {

StatusOr<std::vector<int64_t>> PerDimension(const char* what, const std::vector<int64_t>& given,
                                            int spatial, bool channels_first) {
  const size_t dims = static_cast<size_t>(spatial);
  if (given.size() == dims + 2) return given;
  if (given.size() != 1 && given.size() != dims) {
    const std::string counts =
        spatial == 1 ? "1 or 3" : absl::StrCat("1, ", spatial, " or ", spatial + 2);
    return InvalidArgument(what, " are ", counts, " numbers, got ", given.size());
  }
  std::vector<int64_t> all(channels_first ? 2 : 1, 1);
  for (size_t i = 0; i < dims; ++i) all.push_back(given.size() == 1 ? given[0] : given[i]);
  if (!channels_first) all.push_back(1);
  return all;
}

StatusOr<bool> ChannelsFirst(const std::string& data_format, int spatial) {
  static constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
  static constexpr const char* kFirst[] = {"NCW", "NCHW", "NCDHW"};
  if (data_format == kLast[spatial - 1]) return false;
  if (data_format == kFirst[spatial - 1]) return true;
  return InvalidArgument("the data format is \"", kLast[spatial - 1], "\" or \"",
                         kFirst[spatial - 1], "\", not \"", data_format, "\"");
}

Status CheckPadding(const std::string& padding, bool explicit_too) {
  if (padding == "SAME" || padding == "VALID") return OkStatus();
  if (explicit_too && padding == "EXPLICIT") return OkStatus();
  return InvalidArgument("the padding is \"SAME\" or \"VALID\"",
                         explicit_too ? " or \"EXPLICIT\"" : "", ", not \"", padding, "\"");
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
