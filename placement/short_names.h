// Names as people read them in tables and pictures.
//
// ShortDeviceNames: device names without what all of them have in common.
//
//   ShortDeviceNames names(report.devices);
//   names.Short("/job:localhost/replica:0/task:0/device:GPU:0")   // "GPU:0" within one process
//
// Internal to placement/. Thread safety: const access from many threads. Errors: none; a name that
// does not begin like the others comes back whole.
#ifndef WARPBEAM_PLACEMENT_SHORT_NAMES_H_
#define WARPBEAM_PLACEMENT_SHORT_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace warpbeam {

class ShortDeviceNames {
 public:
  explicit ShortDeviceNames(const std::vector<std::string>& devices) {
    for (size_t i = 0; i < devices.size(); ++i) {
      const size_t at = devices[i].find("/device:");
      const std::string task = at == std::string::npos ? "" : devices[i].substr(0, at);
      if (i == 0) common_ = task;
      if (task != common_) common_.clear();
    }
    if (!common_.empty()) common_ += "/device:";
  }
  std::string Short(absl::string_view name) const {
    if (!common_.empty() && absl::StartsWith(name, common_)) name.remove_prefix(common_.size());
    return std::string(name);
  }

 private:
  std::string common_;
};

// Of a column of text, by the size of the font, where all characters are equally wide: DejaVu Sans
// Mono's, which is as wide as any.
inline constexpr double kColumnWidth = 0.602;

// Characters of East Asian scripts and pictures take two columns. What is no UTF-8 is counted as it
// is escaped.
size_t TextColumns(absl::string_view text);

// Beginning and end of a name tell more than its middle:
// CutInTheMiddle("data_augmentation/random_crop/Slice", 20) is "data_augme…rop/Slice".
std::string CutInTheMiddle(absl::string_view text, size_t columns);

// Any bytes as text of XML, SVG or HTML, between tags or in a quoted attribute. Control characters,
// which no XML may hold, are question marks.
std::string MarkupText(absl::string_view bytes);

// A length or place in an SVG, to a tenth of a pixel.
std::string PixelText(double pixels);

// An element of SVG with that text, in a class of the picture's style.
std::string TextElement(absl::string_view style, double x, double y, absl::string_view text);

// What stands behind the last '/' of a name.
absl::string_view LastPart(absl::string_view name);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SHORT_NAMES_H_
