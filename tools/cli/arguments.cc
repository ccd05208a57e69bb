#include "tools/cli/arguments.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace warpbeam {
namespace cli {

void Arguments::Add(const char* name, std::string default_text, const char* help, bool is_bool,
                    std::function<Status(const std::string&)> set) {
  flags_.push_back({name, std::move(default_text), help, is_bool, std::move(set)});
}

void Arguments::String(const char* name, std::string* value, const char* help) {
  Add(name, *value, help, false, [value](const std::string& text) {
    *value = text;
    return OkStatus();
  });
}

void Arguments::Int(const char* name, int* value, const char* help) {
  Add(name, absl::StrCat(*value), help, false, [value](const std::string& text) {
    return absl::SimpleAtoi(text, value) ? OkStatus()
                                         : InvalidArgument("'", text, "' is no whole number");
  });
}

void Arguments::Double(const char* name, double* value, const char* help) {
  Add(name, absl::StrCat(*value), help, false, [value](const std::string& text) {
    return absl::SimpleAtod(text, value) ? OkStatus()
                                         : InvalidArgument("'", text, "' is no number");
  });
}

void Arguments::Bool(const char* name, bool* value, const char* help) {
  Add(name, *value ? "true" : "false", help, true, [value](const std::string& text) {
    return absl::SimpleAtob(text, value)
               ? OkStatus()
               : InvalidArgument("'", text, "' is neither true nor false");
  });
}

void Arguments::Strings(const char* name, std::vector<std::string>* values, const char* help) {
  Add(name, "", help, false, [values](const std::string& text) {
    for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
      values->emplace_back(part);
    }
    return OkStatus();
  });
}

void Arguments::WholeStrings(const char* name, std::vector<std::string>* values, const char* help) {
  Add(name, "", help, false, [values](const std::string& text) {
    values->push_back(text);
    return OkStatus();
  });
}

const Arguments::Flag* Arguments::Find(absl::string_view name) const {
  const std::string with_underscores = absl::StrReplaceAll(name, {{"-", "_"}});
  for (const Flag& flag : flags_) {
    if (flag.name == with_underscores) return &flag;
  }
  return nullptr;
}

Status Arguments::ParseFlag(absl::string_view word, const std::vector<std::string>& words,
                            size_t* at) {
  const size_t equals = word.find('=');
  const absl::string_view name = word.substr(0, equals);
  const Flag* flag = Find(name);
  std::string value;
  if (flag == nullptr) {
    flag = absl::StartsWith(name, "no") ? Find(name.substr(2)) : nullptr;
    if (flag == nullptr || !flag->is_bool || equals != absl::string_view::npos) {
      return InvalidArgument("there is no flag --", name, "; --help lists those that there are");
    }
    value = "false";
  } else if (equals != absl::string_view::npos) {
    value = std::string(word.substr(equals + 1));
  } else if (flag->is_bool) {
    value = "true";
  } else if (*at + 1 < words.size()) {
    value = words[++*at];
  } else {
    return InvalidArgument("the flag --", name, " needs a value");
  }
  return Annotate(flag->set(value), absl::StrCat("--", flag->name));
}

Status Arguments::Parse(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view word = words[i];
    if (word == "--") {
      words_.insert(words_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word == "--help" || word == "-h") {
      help_wanted_ = true;
    } else if (absl::ConsumePrefix(&word, "--")) {
      WB_RETURN_IF_ERROR(ParseFlag(word, words, &i));
    } else {
      words_.push_back(words[i]);
    }
  }
  return OkStatus();
}

std::string Arguments::Help() const {
  std::string text = absl::StrCat(usage_, "\n\n", description_, "\n");
  if (flags_.empty()) return text;
  absl::StrAppend(&text, "\nFlags:\n");
  for (const Flag& flag : flags_) {
    const std::string shown_default =
        flag.default_text.empty() ? "" : absl::StrCat(" [", flag.default_text, "]");
    absl::StrAppendFormat(&text, "  %-26s %s%s\n",
                          absl::StrCat("--", flag.name, flag.is_bool ? "" : "=…"), flag.help,
                          shown_default);
  }
  return text;
}

}  // namespace cli
}  // namespace warpbeam
