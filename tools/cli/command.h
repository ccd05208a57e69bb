// A command of the program: `warpbeam NAME …`.
//
//   Console console{std::cout, std::cerr, isatty(2) != 0};
//   return RunProgram({"place", "model.pb"}, console);
//
// Thread safety: none; one command per process is the rule, tests run several after each other.
// Errors are printed to the console and become the exit code: 1 when the work failed, 2 for a wrong
// call.
#ifndef WARPBEAM_TOOLS_CLI_COMMAND_H_
#define WARPBEAM_TOOLS_CLI_COMMAND_H_

#include <ostream>
#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "tools/cli/arguments.h"

namespace warpbeam {
namespace cli {

struct Console {
  std::ostream& out;
  std::ostream& err;
  // Whether someone watches: long work shows where it is, in one line that it wipes at the end.
  bool is_terminal;

  void Progress(const std::string& text);
  void EndProgress();
};

// What a command made of its words.
enum class Outcome { kRan, kHelp };

struct Command {
  const char* name;
  const char* summary;
  // Parses `words` and does the work. kHelp: help was asked for, and printed.
  StatusOr<Outcome> (*run)(const std::vector<std::string>& words, Console& console);
};

StatusOr<Outcome> RunGraph(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> InspectModel(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> PlaceGraph(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> SimulateGraph(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> CalibrateMachine(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> BenchGraph(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> ProfileGraph(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> ReportTraining(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> ServeSessions(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> ListOps(const std::vector<std::string>& words, Console& console);
StatusOr<Outcome> ListDevices(const std::vector<std::string>& words, Console& console);

// Parses a command's words; what is wrong with them is marked as a wrong call. With --help the text
// is printed and `*help` set.
Status ParseWords(Arguments& args, const std::vector<std::string>& words, Console& console,
                  bool* help);
// A wrong call where words stand beside the flags.
Status OnlyFlags(const Arguments& args);
// A status that says the program was called wrongly.
Status WrongCall(const Status& status);

// The whole program; `words` are what follows its name.
int RunProgram(const std::vector<std::string>& words, Console& console);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_COMMAND_H_
