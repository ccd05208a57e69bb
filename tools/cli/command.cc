#include "tools/cli/command.h"

#include "absl/strings/str_format.h"
#include "frontend/c/c_api.h"

namespace warpbeam {
namespace cli {
namespace {

constexpr Command kCommands[] = {
    {"run", "run a graph or a model and print or save what it gives", RunGraph},
    {"inspect", "show what a model is and whether it runs here", InspectModel},
    {"place", "show on which device each node of a graph goes, and why", PlaceGraph},
    {"simulate", "tell how long a step would take on a described machine, and why", SimulateGraph},
    {"calibrate", "measure this machine and describe it, for simulate and place", CalibrateMachine},
    {"bench", "time the steps of a graph", BenchGraph},
    {"profile", "show where the time of a graph's steps goes", ProfileGraph},
    {"report", "write a page of what training has left in its event files", ReportTraining},
    {"serve", "run graphs for TensorFlow's clients, over gRPC", ServeSessions},
    {"ops", "list the ops that models need, and the libraries that have them", ListOps},
    {"devices", "list the devices of this machine", ListDevices},
};

constexpr char kWrongCall[] = "warpbeam/wrong_call";

std::string ProgramHelp() {
  std::string text =
      "warpbeam: runs, places and times TensorFlow graphs.\n\n"
      "  warpbeam COMMAND …\n\n"
      "Commands:\n";
  for (const Command& command : kCommands) {
    absl::StrAppendFormat(&text, "  %-9s %s\n", command.name, command.summary);
  }
  absl::StrAppend(
      &text,
      "\n'warpbeam COMMAND --help' tells the rest, 'warpbeam --version' which one this is.\n");
  return text;
}

const Command* FindCommand(const std::string& name) {
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

}  // namespace

void Console::Progress(const std::string& text) {
  if (is_terminal) err << "\r" << text << "\033[K" << std::flush;
}

void Console::EndProgress() {
  if (is_terminal) err << "\r\033[K" << std::flush;
}

Status WrongCall(const Status& status) {
  Status marked = status;
  if (!marked.ok()) marked.SetPayload(kWrongCall, "");
  return marked;
}

Status ParseWords(Arguments& args, const std::vector<std::string>& words, Console& console,
                  bool* help) {
  WB_RETURN_IF_ERROR(WrongCall(args.Parse(words)));
  *help = args.help_wanted();
  if (*help) console.out << args.Help();
  return OkStatus();
}

Status OnlyFlags(const Arguments& args) {
  if (args.words().empty()) return OkStatus();
  return WrongCall(InvalidArgument("'", args.words()[0], "' is too much: only flags are taken"));
}

int RunProgram(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    console.err << ProgramHelp();
    return 2;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    console.out << ProgramHelp();
    return 0;
  }
  if (words[0] == "--version") {
    console.out << "warpbeam " << wb_version() << "\n";
    return 0;
  }
  const Command* command = FindCommand(words[0]);
  if (command == nullptr) {
    console.err << "warpbeam: there is no command '" << words[0] << "'\n\n" << ProgramHelp();
    return 2;
  }
  const auto outcome = command->run({words.begin() + 1, words.end()}, console);
  console.EndProgress();
  console.out.flush();
  if (outcome.ok()) return 0;
  const bool wrong_call = outcome.status().FindPayload(kWrongCall) != nullptr;
  console.err << "warpbeam " << command->name << ": ";
  if (wrong_call) {
    console.err << outcome.status().message() << "\n'warpbeam " << command->name
                << " --help' tells how to call it.\n";
    return 2;
  }
  console.err << StatusCodeName(outcome.status().code()) << ": " << outcome.status().message()
              << "\n";
  return 1;
}

}  // namespace cli
}  // namespace warpbeam
