// JsonObject: an object of a report in JSON, written key by key.
//
//   JsonObject device;
//   device.Add("name", name).Add("busy_s", 0.25).AddText("links", JsonList(links));
//   device.Text();                               // {"name": "/cpu:0", "busy_s": 0.25, "links": []}
//
// Keys are those of the program; their pairs stand in the order of the calls. Texts are UTF-8, as
// names in graphs and machines are. Thread safety: values. Errors: none.
#ifndef WARPBEAM_PLACEMENT_SIMULATE_JSON_OBJECT_H_
#define WARPBEAM_PLACEMENT_SIMULATE_JSON_OBJECT_H_

#include <string>
#include <vector>

namespace warpbeam {

// A string in quotes.
std::string JsonText(const std::string& text);
std::string JsonNumber(double number);
// Entries that are JSON already, one a line.
std::string JsonList(const std::vector<std::string>& entries);

class JsonObject {
 public:
  JsonObject& Add(const char* key, const std::string& text) { return AddText(key, JsonText(text)); }
  JsonObject& Add(const char* key, double number) { return AddText(key, JsonNumber(number)); }
  JsonObject& AddFlag(const char* key, bool flag) { return AddText(key, flag ? "true" : "false"); }
  // What is JSON already.
  JsonObject& AddText(const char* key, const std::string& json);
  // Pairs that are JSON already; perhaps none.
  JsonObject& AddPairs(const std::string& pairs);
  // The pairs alone, for an object of somebody else's.
  const std::string& Pairs() const { return pairs_; }
  std::string Text() const { return "{" + pairs_ + "}"; }

 private:
  std::string pairs_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SIMULATE_JSON_OBJECT_H_
