// warpbeam report: what event files say, as one page.
#include <fstream>

#include "tools/cli/command.h"
#include "tools/report/page.h"

namespace warpbeam {
namespace cli {
namespace {

Status Report(const std::string& directory, const std::string& output, report::PageOptions options,
              Console& console) {
  console.Progress(absl::StrCat("reading ", directory));
  WB_ASSIGN_OR_RETURN(const std::vector<report::Run> runs, report::ReadRuns(directory));
  console.Progress("drawing");
  if (options.title.empty()) options.title = directory;
  WB_ASSIGN_OR_RETURN(const std::string page, report::ReportPage(runs, options));
  console.EndProgress();
  const std::string path = output.empty() ? absl::StrCat(directory, "/report.html") : output;
  std::ofstream file(path, std::ios::trunc);
  file << page;
  file.close();
  if (!file) return FailedPrecondition("cannot write ", path);
  size_t curves = 0, notes = 0;
  for (const report::Run& run : runs) {
    curves += run.scalars.size();
    notes += run.notes.size();
  }
  console.out << path << ": " << runs.size() << (runs.size() == 1 ? " run, " : " runs, ") << curves
              << (curves == 1 ? " curve" : " curves");
  if (notes > 0) console.out << ", " << notes << " notes on the event files";
  console.out << "\n";
  return OkStatus();
}

}  // namespace

StatusOr<Outcome> ReportTraining(const std::vector<std::string>& words, Console& console) {
  Arguments args("warpbeam report LOGDIR [--output=report.html]",
                 "Writes one page, readable without network, of the event files in a directory and "
                 "below it:\ncurves of scalars, histograms, the placement of the graph, timelines "
                 "of traced steps.");
  report::PageOptions options;
  options.title.clear();
  std::string output;
  args.String("output", &output, "the file to write; by default LOGDIR/report.html");
  args.String("title", &options.title, "the page's heading; by default LOGDIR");
  args.Double("smoothing", &options.smoothing, "of the curves: 0 (none) to below 1");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one directory is needed, got ", args.words().size()));
  }
  WB_RETURN_IF_ERROR(Report(args.words()[0], output, options, console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
