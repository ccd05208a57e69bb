// What is wrong with the geometry of placement pictures, read from their SVG as a reader sees it.
//
//   EXPECT_THAT(PictureProblems(report.ToSvg()), IsEmpty());
//   for (absl::string_view svg : PicturesOf(PlacementPage(report))) …
//
// A picture may be at most twice as wide as high; boxes overlap neither each other nor the texts of
// links, and lie in a lane; lanes do not overlap; texts lie within their boxes; no line crosses a
// box on its way. Thread safety: pure. Errors: what cannot be read is among the problems.
#ifndef WARPBEAM_PLACEMENT_TESTING_PICTURE_GEOMETRY_H_
#define WARPBEAM_PLACEMENT_TESTING_PICTURE_GEOMETRY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace warpbeam {

std::vector<std::string> PictureProblems(absl::string_view svg);

// The pictures that a page of PlacementPage holds.
std::vector<absl::string_view> PicturesOf(absl::string_view page);

// How many boxes a picture has.
size_t BoxesOf(absl::string_view svg);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_TESTING_PICTURE_GEOMETRY_H_
