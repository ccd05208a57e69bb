#include "graph/op/spec_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

bool IsWordChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-';
}

// A message in protobuf's text form: fields in order, each a word or a message.
struct TextMessage {
  struct Field {
    std::string name;
    std::string word;                  // unquoted
    std::vector<TextMessage> message;  // none or one
  };
  std::vector<Field> fields;
};

Status ReadMessage(SpecCursor& c, int depth, TextMessage* out) {
  if (depth > 8) return InvalidArgument("messages nested too deep");
  while (!c.Take("}")) {
    TextMessage::Field field;
    field.name = std::string(c.Word());
    if (field.name.empty()) return InvalidArgument("expected a field name at '", c.rest(), "'");
    const bool colon = c.Take(":");
    if (c.Take("{")) {
      field.message.emplace_back();
      WB_RETURN_IF_ERROR(ReadMessage(c, depth + 1, &field.message.back()));
    } else if (!colon) {
      return InvalidArgument("expected ':' or '{' after the field '", field.name, "'");
    } else if (c.Next("\"") || c.Next("'")) {
      WB_ASSIGN_OR_RETURN(field.word, c.Quoted());
    } else {
      field.word = std::string(c.Number());
    }
    out->fields.push_back(std::move(field));
    if (!c.Take(",")) c.Take(";");
  }
  return OkStatus();
}

StatusOr<PartialShape> ShapeFromText(const TextMessage& message) {
  std::vector<int64_t> dims;
  for (const TextMessage::Field& f : message.fields) {
    if (f.name == "unknown_rank") {
      if (f.word == "true") return PartialShape::Unknown();
    } else if (f.name == "dim" && !f.message.empty()) {
      int64_t extent = 0;
      for (const TextMessage::Field& g : f.message[0].fields) {
        if (g.name == "size" && !absl::SimpleAtoi(g.word, &extent)) {
          return InvalidArgument("'", g.word, "' is no extent");
        }
      }
      dims.push_back(extent);
    } else {
      return InvalidArgument("a shape has no field '", f.name, "'");
    }
  }
  return PartialShape::Make(dims);
}

template <typename T>
Status FillTensor(const std::vector<std::string>& words, Tensor* tensor) {
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    // As in the wire form: the last value given stands for the ones that follow.
    const std::string word = words.empty() ? "0" : words[std::min<size_t>(i, words.size() - 1)];
    double value = 0;
    if (word == "true") {
      value = 1;
    } else if (word != "false" && !absl::SimpleAtod(word, &value)) {
      return InvalidArgument("'", word, "' is no number");
    }
    tensor->data<T>()[i] = static_cast<T>(value);
  }
  return OkStatus();
}

StatusOr<Tensor> TensorFromText(const TextMessage& message) {
  DType dtype = DType::kInvalid;
  PartialShape shape{};
  shape = PartialShape(std::vector<int64_t>());
  std::vector<std::string> words;
  for (const TextMessage::Field& f : message.fields) {
    if (f.name == "dtype") {
      dtype = ParseDType(f.word);
    } else if (f.name == "tensor_shape" && !f.message.empty()) {
      WB_ASSIGN_OR_RETURN(shape, ShapeFromText(f.message[0]));
    } else if (absl::EndsWith(f.name, "_val")) {
      words.push_back(f.word);
    } else {
      return InvalidArgument("a default tensor may not have the field '", f.name, "'");
    }
  }
  WB_ASSIGN_OR_RETURN(Shape full, shape.AsShape());
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, full));
  switch (dtype) {
    case DType::kFloat:
      WB_RETURN_IF_ERROR(FillTensor<float>(words, &out));
      break;
    case DType::kDouble:
      WB_RETURN_IF_ERROR(FillTensor<double>(words, &out));
      break;
    case DType::kInt32:
      WB_RETURN_IF_ERROR(FillTensor<int32_t>(words, &out));
      break;
    case DType::kInt64:
      WB_RETURN_IF_ERROR(FillTensor<int64_t>(words, &out));
      break;
    case DType::kUInt8:
      WB_RETURN_IF_ERROR(FillTensor<uint8_t>(words, &out));
      break;
    case DType::kBool:
      WB_RETURN_IF_ERROR(FillTensor<bool>(words, &out));
      break;
    case DType::kString:
      for (int64_t i = 0; i < out.num_elements() && !words.empty(); ++i) {
        out.data<std::string>()[i] = words[std::min<size_t>(i, words.size() - 1)];
      }
      break;
    default:
      return InvalidArgument("a default tensor cannot be of type ", DTypeName(dtype));
  }
  return out;
}

StatusOr<TextMessage> ReadBraced(SpecCursor& c) {
  if (!c.Take("{")) return InvalidArgument("expected '{' at '", c.rest(), "'");
  TextMessage message;
  WB_RETURN_IF_ERROR(ReadMessage(c, 0, &message));
  return message;
}

StatusOr<int64_t> ReadInt(SpecCursor& c) {
  const absl::string_view word = c.Number();
  int64_t value = 0;
  if (!absl::SimpleAtoi(word, &value)) return InvalidArgument("'", word, "' is no integer");
  return value;
}

StatusOr<float> ReadFloat(SpecCursor& c) {
  const absl::string_view word = c.Number();
  float value = 0;
  if (!absl::SimpleAtof(word, &value)) return InvalidArgument("'", word, "' is no number");
  return value;
}

StatusOr<bool> ReadBool(SpecCursor& c) {
  const absl::string_view word = c.Word();
  if (word == "true") return true;
  if (word == "false") return false;
  return InvalidArgument("'", word, "' is neither true nor false");
}

StatusOr<DType> ReadType(SpecCursor& c) {
  const std::string word(c.Word());
  const DType type = ParseDType(word);
  if (type == DType::kInvalid) return InvalidArgument("'", word, "' is no type");
  return type;
}

StatusOr<std::string> ReadString(SpecCursor& c) { return c.Quoted(); }

StatusOr<PartialShape> ReadShape(SpecCursor& c) {
  WB_ASSIGN_OR_RETURN(TextMessage message, ReadBraced(c));
  return ShapeFromText(message);
}

StatusOr<Tensor> ReadTensor(SpecCursor& c) {
  WB_ASSIGN_OR_RETURN(TextMessage message, ReadBraced(c));
  return TensorFromText(message);
}

StatusOr<FunctionRef> ReadFunction(SpecCursor& c) {
  FunctionRef ref;
  WB_ASSIGN_OR_RETURN(TextMessage message, ReadBraced(c));
  for (const TextMessage::Field& f : message.fields) {
    if (f.name != "name") return InvalidArgument("a default function has only a name");
    ref.name = f.word;
  }
  return ref;
}

template <typename T>
StatusOr<AttrValue> ReadList(SpecCursor& c, StatusOr<T> (*read)(SpecCursor&)) {
  if (!c.Take("[")) return InvalidArgument("expected '[' at '", c.rest(), "'");
  std::vector<T> list;
  while (!c.Take("]")) {
    WB_ASSIGN_OR_RETURN(T value, read(c));
    list.push_back(std::move(value));
    if (!c.Take(",") && !c.Next("]")) return InvalidArgument("expected ',' at '", c.rest(), "'");
  }
  return AttrValue(std::move(list));
}

template <typename T>
StatusOr<AttrValue> ReadOne(SpecCursor& c, StatusOr<T> (*read)(SpecCursor&)) {
  WB_ASSIGN_OR_RETURN(T value, read(c));
  return AttrValue(std::move(value));
}

template <typename T>
StatusOr<AttrValue> Read(bool list, SpecCursor& c, StatusOr<T> (*read)(SpecCursor&)) {
  return list ? ReadList(c, read) : ReadOne(c, read);
}

}  // namespace

void SpecCursor::SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

bool SpecCursor::Next(absl::string_view token) const { return absl::StartsWith(rest_, token); }

bool SpecCursor::Take(absl::string_view token) {
  if (!absl::ConsumePrefix(&rest_, token)) return false;
  SkipSpace();
  return true;
}

absl::string_view SpecCursor::Word() {
  size_t n = 0;
  while (n < rest_.size() && IsWordChar(rest_[n])) ++n;
  const absl::string_view word = rest_.substr(0, n);
  rest_.remove_prefix(n);
  SkipSpace();
  return word;
}

absl::string_view SpecCursor::Number() {
  size_t n = 0;
  while (n < rest_.size() && (IsWordChar(rest_[n]) || rest_[n] == '+')) ++n;
  const absl::string_view word = rest_.substr(0, n);
  rest_.remove_prefix(n);
  SkipSpace();
  return word;
}

StatusOr<std::string> SpecCursor::Quoted() {
  const char quote = rest_.empty() ? '\0' : rest_[0];
  if (quote != '"' && quote != '\'') {
    return InvalidArgument("expected a quoted string at '", rest_, "'");
  }
  size_t n = 1;
  while (n < rest_.size() && rest_[n] != quote) n += rest_[n] == '\\' ? 2 : 1;
  if (n >= rest_.size()) return InvalidArgument("a string without its closing quote: ", rest_);
  std::string value;
  if (!absl::CUnescape(rest_.substr(1, n - 1), &value)) {
    return InvalidArgument("a bad escape in ", rest_.substr(0, n + 1));
  }
  rest_.remove_prefix(n + 1);
  SkipSpace();
  return value;
}

StatusOr<AttrValue> ReadSpecValue(absl::string_view type, SpecCursor& cursor) {
  absl::string_view element = type;
  const bool list = absl::ConsumePrefix(&element, "list(") && absl::ConsumeSuffix(&element, ")");
  if (element == "int") return Read<int64_t>(list, cursor, ReadInt);
  if (element == "float") return Read<float>(list, cursor, ReadFloat);
  if (element == "bool") return Read<bool>(list, cursor, ReadBool);
  if (element == "type") return Read<DType>(list, cursor, ReadType);
  if (element == "string") return Read<std::string>(list, cursor, ReadString);
  if (element == "shape") return Read<PartialShape>(list, cursor, ReadShape);
  if (element == "tensor") return Read<Tensor>(list, cursor, ReadTensor);
  if (element == "func") return Read<FunctionRef>(list, cursor, ReadFunction);
  return InvalidArgument("'", type, "' is no type of attributes");
}

}  // namespace warpbeam
