// The page of `warpbeam report`: everything that event files say, in one HTML file that needs
// nothing else, neither network nor other files. It has a light and a dark form.
//
//   WB_ASSIGN_OR_RETURN(std::string html, ReportPage(runs, PageOptions()));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for options out of range.
#ifndef WARPBEAM_TOOLS_REPORT_PAGE_H_
#define WARPBEAM_TOOLS_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "tools/report/events.h"

namespace warpbeam {
namespace report {

struct PageOptions {
  std::string title = "Training report";
  // How much of a smoothed curve's past counts: 0 (not smoothed) to below 1.
  double smoothing = 0.6;
};

StatusOr<std::string> ReportPage(const std::vector<Run>& runs, const PageOptions& options);

// The placement of a serialized GraphDef as a page of its own (PlacementPage of
// placement/diagram.h), on as many devices as it asks for.
StatusOr<std::string> PlacementPicture(const std::string& graph);

}  // namespace report
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_REPORT_PAGE_H_
