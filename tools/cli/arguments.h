// The flags and words of one command.
//
// Every command of the program has flags of its own, some with the same name and another meaning,
// so process-wide flags would not do.
//
//   Arguments args("warpbeam run GRAPH [--flags]", "Runs a graph.");
//   int steps = 1;
//   args.Int("steps", &steps, "how many times to run");
//   WB_RETURN_IF_ERROR(args.Parse(words));      // args.words(), or args.help_wanted()
//
// A flag is "--name=value" or "--name value"; a bool is also "--name" and "--noname". A repeatable
// flag collects its values; those of Strings may hold several, separated by commas. A '-' within a
// name is as good as a '_'. "--" ends the flags.
//
// Ownership: the variables must outlive the Arguments. Thread safety: none. Errors:
// INVALID_ARGUMENT for an unknown flag or a value that does not parse, saying what would be right.
#ifndef WARPBEAM_TOOLS_CLI_ARGUMENTS_H_
#define WARPBEAM_TOOLS_CLI_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {
namespace cli {

class Arguments {
 public:
  Arguments(std::string usage, std::string description)
      : usage_(std::move(usage)), description_(std::move(description)) {}

  // `help` says what the value is for; the variable's value now is shown as the default.
  void String(const char* name, std::string* value, const char* help);
  void Int(const char* name, int* value, const char* help);
  void Double(const char* name, double* value, const char* help);
  void Bool(const char* name, bool* value, const char* help);
  void Strings(const char* name, std::vector<std::string>* values, const char* help);
  // Repeatable, each value as it stands.
  void WholeStrings(const char* name, std::vector<std::string>* values, const char* help);

  Status Parse(const std::vector<std::string>& words);
  // The words that are no flags.
  const std::vector<std::string>& words() const { return words_; }
  bool help_wanted() const { return help_wanted_; }
  std::string Help() const;

 private:
  struct Flag {
    std::string name;
    std::string default_text;
    const char* help;
    bool is_bool;
    std::function<Status(const std::string&)> set;
  };
  void Add(const char* name, std::string default_text, const char* help, bool is_bool,
           std::function<Status(const std::string&)> set);
  const Flag* Find(absl::string_view name) const;
  Status ParseFlag(absl::string_view flag, const std::vector<std::string>& words, size_t* at);

  std::string usage_;
  std::string description_;
  std::vector<Flag> flags_;
  std::vector<std::string> words_;
  bool help_wanted_ = false;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_ARGUMENTS_H_
