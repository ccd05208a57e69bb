#include "placement/cost/machine_json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace warpbeam {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const char* KindOf(const Value& value) {
  switch (value.kind_case()) {
    case Value::kNumberValue:
      return "a number";
    case Value::kStringValue:
      return "a text";
    case Value::kBoolValue:
      return "true or false";
    case Value::kStructValue:
      return "an object";
    case Value::kListValue:
      return "a list";
    default:
      return "nothing";
  }
}

// One object of the file, which keeps what is wrong with it; `where` says which it is.
class ObjectReader {
 public:
  ObjectReader(const Value& value, std::string where) : where_(std::move(where)) {
    if (value.kind_case() == Value::kStructValue) {
      object_ = &value.struct_value();
    } else {
      Refuse(where_, " is an object, not ", KindOf(value));
    }
  }
  ObjectReader(const Struct& object, std::string where)
      : object_(&object), where_(std::move(where)) {}

  // A key of the object, or null; it counts as known.
  const Value* Find(const char* key) {
    known_.push_back(key);
    if (object_ == nullptr) return nullptr;
    const auto found = object_->fields().find(key);
    return found == object_->fields().end() ? nullptr : &found->second;
  }
  void Read(const char* key, std::string* text) {
    if (const Value* value = FindKind(key, Value::kStringValue, "a text")) {
      *text = value->string_value();
    }
  }
  void Read(const char* key, double* number) {
    if (const Value* value = FindKind(key, Value::kNumberValue, "a number")) {
      *number = value->number_value();
    }
  }
  void Read(const char* key, bool* answer) {
    if (const Value* value = FindKind(key, Value::kBoolValue, "true or false")) {
      *answer = value->bool_value();
    }
  }
  void Read(const char* key, int* number) {
    double value = *number;
    Read(key, &value);
    if (value == std::floor(value) && std::abs(value) < 1e9) {
      *number = static_cast<int>(value);
    } else {
      Refuse(where_, ": '", key, "' is a whole number, not ", value);
    }
  }
  void ReadBytes(const char* key, int64_t* bytes) {
    const Value* value = Find(key);
    if (value == nullptr) return;
    if (value->kind_case() == Value::kStringValue) {
      Take(ParseBytes(value->string_value()), key, bytes);
    } else if (value->kind_case() == Value::kNumberValue &&
               std::abs(value->number_value()) < 9e18) {
      *bytes = static_cast<int64_t>(value->number_value());
    } else {
      Refuse(where_, ": '", key, "' is a number of bytes, as 1e9 or \"16GiB\", not ",
             KindOf(*value));
    }
  }
  void Read(const char* key, DeviceName* name) {
    std::string text;
    Read(key, &text);
    if (!text.empty()) Take(DeviceName::Parse(text), key, name);
  }
  // The list `key`; empty where there is none.
  std::vector<const Value*> List(const char* key) {
    std::vector<const Value*> entries;
    if (const Value* value = FindKind(key, Value::kListValue, "a list")) {
      for (const Value& entry : value->list_value().values()) entries.push_back(&entry);
    }
    return entries;
  }
  template <typename... Args>
  void Refuse(const Args&... args) {
    if (status_.ok()) status_ = InvalidArgument(args...);
  }
  const std::string& where() const { return where_; }
  // What is wrong first of all; a key that nobody asked for is.
  Status Done() {
    if (object_ == nullptr || !status_.ok()) return status_;
    std::vector<std::string> strange;
    for (const auto& [key, value] : object_->fields()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) strange.push_back(key);
    }
    if (strange.empty()) return OkStatus();
    std::sort(strange.begin(), strange.end());
    return InvalidArgument(where_, " has no '", strange[0], "'; what it may have is ",
                           absl::StrJoin(known_, ", "));
  }

 private:
  const Value* FindKind(const char* key, Value::KindCase kind, const char* wanted) {
    const Value* value = Find(key);
    if (value == nullptr || value->kind_case() == kind) return value;
    Refuse(where_, ": '", key, "' is ", wanted, ", not ", KindOf(*value));
    return nullptr;
  }
  template <class T>
  void Take(StatusOr<T> parsed, const char* key, T* out) {
    if (parsed.ok()) {
      *out = *std::move(parsed);
    } else {
      Refuse(where_, ": '", key, "': ", parsed.status().message());
    }
  }

  const Struct* object_ = nullptr;
  const std::string where_;
  std::vector<std::string> known_;
  Status status_;
};

Status ReadRates(const Value& value, const std::string& where, MachineDevice* device) {
  ObjectReader rates(value, absl::StrCat(where, ": 'rates'"));
  const std::pair<const char*, CostClass> classes[] = {{"elements", CostClass::kElements},
                                                       {"product", CostClass::kProduct},
                                                       {"convolution", CostClass::kConvolution}};
  for (const auto& [name, cost_class] : classes) {
    const Value* given = rates.Find(name);
    if (given == nullptr) continue;
    ComputeRate& rate = device->rates[static_cast<int>(cost_class)];
    ObjectReader reader(*given, absl::StrCat(where, ": the rates of '", name, "'"));
    reader.Read("flops_per_s", &rate.flops_per_s);
    reader.Read("bytes_per_s", &rate.bytes_per_s);
    WB_RETURN_IF_ERROR(reader.Done());
  }
  return rates.Done();
}

// Of single ops. Both rates have to be there: nothing else is usual for an op.
Status ReadOpRates(const Value& value, const std::string& where, MachineDevice* device) {
  if (value.kind_case() != Value::kStructValue) {
    return InvalidArgument(where, ": 'op_rates' is an object, not ", KindOf(value));
  }
  for (const auto& [op, given] : value.struct_value().fields()) {
    OpRate rate;
    ObjectReader reader(given, absl::StrCat(where, ": the rates of '", op, "'"));
    reader.Read("flops_per_s", &rate.flops_per_s);
    reader.Read("bytes_per_s", &rate.bytes_per_s);
    reader.Read("setup_s", &rate.setup_s);
    WB_RETURN_IF_ERROR(reader.Done());
    device->op_rates[op] = rate;
  }
  return OkStatus();
}

StatusOr<MachineDevice> ReadDevice(const Value& value, size_t index) {
  ObjectReader reader(value, absl::StrCat("device ", index));
  DeviceName given;
  reader.Read("name", &given);
  if (!given.known_type() || !given.id) {
    reader.Refuse(reader.where(), " needs a 'name' that says type and number, as \"/gpu:0\" does");
    return reader.Done();
  }
  DeviceName name = DeviceName::Local(*given.known_type(), *given.id);
  name.OverrideWith(given);
  MachineDevice device = MachineDevice::Usual(std::move(name), *given.known_type());
  reader.Read("model", &device.model);
  reader.ReadBytes("memory_bytes", &device.memory_bytes);
  reader.Read("lanes", &device.lanes);
  reader.Read("launch_s", &device.launch_s);
  reader.Read("hand_over_s", &device.hand_over_s);
  reader.Read("wake_s", &device.wake_s);
  if (const Value* rates = reader.Find("rates")) {
    WB_RETURN_IF_ERROR(ReadRates(*rates, reader.where(), &device));
  }
  if (const Value* rates = reader.Find("op_rates")) {
    WB_RETURN_IF_ERROR(ReadOpRates(*rates, reader.where(), &device));
  }
  WB_RETURN_IF_ERROR(reader.Done());
  return device;
}

StatusOr<MachineLink> ReadLink(const Value& value, size_t index) {
  ObjectReader reader(value, absl::StrCat("link ", index));
  MachineLink link;
  bool one_way = false;
  reader.Read("from", &link.from);
  reader.Read("to", &link.to);
  reader.Read("latency_s", &link.latency_s);
  reader.Read("bytes_per_s", &link.bytes_per_s);
  reader.Read("shares", &link.shares);
  reader.Read("one_way", &one_way);
  WB_RETURN_IF_ERROR(reader.Done());
  link.both_ways = !one_way;
  return link;
}

std::string Quoted(const std::string& text) {
  Value value;
  value.set_string_value(text);
  std::string json;
  // Names of devices and ops are UTF-8, which is all that could keep a text from being written.
  (void)google::protobuf::util::MessageToJsonString(value, &json);
  return json;
}

std::string RateText(const ComputeRate& rate) {
  return absl::StrFormat("\"flops_per_s\": %.4g, \"bytes_per_s\": %.4g", rate.flops_per_s,
                         rate.bytes_per_s);
}

std::string DeviceText(const MachineDevice& device) {
  std::string text = absl::StrCat("    {\"name\": ", Quoted(device.name.ToString()));
  if (!device.model.empty()) absl::StrAppend(&text, ", \"model\": ", Quoted(device.model));
  if (device.memory_bytes > 0) absl::StrAppend(&text, ", \"memory_bytes\": ", device.memory_bytes);
  absl::StrAppendFormat(&text,
                        ", \"lanes\": %d, \"launch_s\": %.4g,\n     \"hand_over_s\": %.4g, "
                        "\"wake_s\": %.4g,\n     \"rates\": {",
                        device.lanes, device.launch_s, device.hand_over_s, device.wake_s);
  constexpr const char* kNames[kNumCostClasses] = {"elements", "product", "convolution"};
  std::vector<std::string> rates, op_rates;
  for (int c = 0; c < kNumCostClasses; ++c) {
    rates.push_back(absl::StrCat("\"", kNames[c], "\": {", RateText(device.rates[c]), "}"));
  }
  absl::StrAppend(&text, absl::StrJoin(rates, ",\n               "), "}");
  for (const auto& [op, rate] : device.op_rates) {
    op_rates.push_back(
        absl::StrFormat("%s: {%s, \"setup_s\": %.4g}", Quoted(op), RateText(rate), rate.setup_s));
  }
  if (op_rates.empty()) return text + "}";
  return absl::StrCat(text, ",\n     \"op_rates\": {\n      ", absl::StrJoin(op_rates, ",\n      "),
                      "}}");
}

std::string LinkText(const MachineLink& link) {
  std::string text = "    {";
  if (!link.from.empty()) absl::StrAppend(&text, "\"from\": ", Quoted(link.from.ToString()), ", ");
  if (!link.to.empty()) absl::StrAppend(&text, "\"to\": ", Quoted(link.to.ToString()), ", ");
  absl::StrAppendFormat(&text, "\"latency_s\": %.4g, \"bytes_per_s\": %.4g", link.latency_s,
                        link.bytes_per_s);
  if (!link.shares.empty()) absl::StrAppend(&text, ", \"shares\": ", Quoted(link.shares));
  return absl::StrCat(text, link.both_ways ? "" : ", \"one_way\": true", "}");
}

}  // namespace

std::string MachineJson(const std::vector<MachineDevice>& devices,
                        const std::vector<MachineLink>& links) {
  std::vector<std::string> device_list, link_list;
  for (const MachineDevice& device : devices) device_list.push_back(DeviceText(device));
  for (const MachineLink& link : links) link_list.push_back(LinkText(link));
  std::string text = absl::StrCat("{\n  \"devices\": [\n", absl::StrJoin(device_list, ",\n"), "]");
  if (!links.empty())
    absl::StrAppend(&text, ",\n  \"links\": [\n", absl::StrJoin(link_list, ",\n"), "]");
  return text + "}\n";
}

StatusOr<int64_t> ParseBytes(absl::string_view text) {
  constexpr std::pair<const char*, double> kUnits[] = {{"KiB", 1024.0},
                                                       {"MiB", 1048576.0},
                                                       {"GiB", 1073741824.0},
                                                       {"TiB", 1099511627776.0},
                                                       {"KB", 1e3},
                                                       {"MB", 1e6},
                                                       {"GB", 1e9},
                                                       {"TB", 1e12},
                                                       {"B", 1},
                                                       {"", 1}};
  absl::string_view number = absl::StripAsciiWhitespace(text);
  const size_t unit_at = number.find_first_not_of("0123456789.");
  const absl::string_view unit = unit_at == absl::string_view::npos
                                     ? ""
                                     : absl::StripLeadingAsciiWhitespace(number.substr(unit_at));
  number = number.substr(0, unit_at);
  for (const auto& [name, factor] : kUnits) {
    double value = 0;
    if (unit != name || !absl::SimpleAtod(number, &value)) continue;
    value *= factor;
    if (value < 9e18) return static_cast<int64_t>(value);
  }
  return InvalidArgument("'", text, "' is no number of bytes, as 4096, 800MB or 1.5GiB are");
}

StatusOr<Machine> MachineFromJson(absl::string_view text) {
  Struct file;
  const auto parsed = google::protobuf::util::JsonStringToMessage(std::string(text), &file);
  if (!parsed.ok()) {
    return InvalidArgument("this is no JSON object: ", std::string(parsed.message()));
  }
  ObjectReader reader(file, "the machine");
  const std::vector<const Value*> device_list = reader.List("devices");
  const std::vector<const Value*> link_list = reader.List("links");
  WB_RETURN_IF_ERROR(reader.Done());
  std::vector<MachineDevice> devices;
  for (const Value* value : device_list) {
    WB_ASSIGN_OR_RETURN(MachineDevice device, ReadDevice(*value, devices.size()));
    devices.push_back(std::move(device));
  }
  std::vector<MachineLink> links;
  for (const Value* value : link_list) {
    WB_ASSIGN_OR_RETURN(MachineLink link, ReadLink(*value, links.size()));
    links.push_back(std::move(link));
  }
  return Machine::Create(std::move(devices), std::move(links));
}

}  // namespace warpbeam
