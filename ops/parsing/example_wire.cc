#include "ops/parsing/example_wire.h"

#include <cstring>

#include "ops/parsing/wire_reader.h"

namespace warpbeam {
namespace {

// Up to here comparing with every name is faster than hashing.
constexpr size_t kFewNames = 8;

// Feature: bytes_list = 1, float_list = 2, int64_list = 3, of which the last one counts.
bool ReadFeature(absl::string_view bytes, FeatureView* view) {
  *view = FeatureView();
  WireReader r(bytes);
  uint32_t tag;
  while (r.ReadTag(&tag)) {
    DType type;
    switch (tag) {
      case DelimitedTag(1):
        type = DType::kString;
        break;
      case DelimitedTag(2):
        type = DType::kFloat;
        break;
      case DelimitedTag(3):
        type = DType::kInt64;
        break;
      default:
        if (!r.Skip(tag)) return false;
        continue;
    }
    if (!r.ReadBytes(&view->list)) return false;
    view->type = type;
  }
  return r.AtEnd();
}

// Calls fn(number, value) for every entry (field 1: key = 1, value = 2) of a map whose key the
// index has; false where one fails or the bytes are no such message.
template <typename Fn>
bool ForEachEntry(absl::string_view map, const FeatureIndex& index, Fn fn) {
  WireReader r(map);
  uint32_t tag;
  absl::string_view bytes;
  while (r.ReadTag(&tag)) {
    if (tag != DelimitedTag(1)) {
      if (!r.Skip(tag)) return false;
      continue;
    }
    if (!r.ReadBytes(&bytes)) return false;
    WireReader entry(bytes);
    absl::string_view key, value;
    while (entry.ReadTag(&tag)) {
      if (tag == DelimitedTag(1)) {
        if (!entry.ReadBytes(&key)) return false;
      } else if (tag == DelimitedTag(2)) {
        if (!entry.ReadBytes(&value)) return false;
      } else if (!entry.Skip(tag)) {
        return false;
      }
    }
    if (!entry.AtEnd()) return false;
    const int number = index.Find(key);
    if (number >= 0 && !fn(number, value)) return false;
  }
  return r.AtEnd();
}

// Calls fn(bytes) for every field of that number; false where one fails or the bytes are no
// message.
template <typename Fn>
bool ForEachMessage(absl::string_view message, uint32_t field, Fn fn) {
  WireReader r(message);
  uint32_t tag;
  absl::string_view bytes;
  while (r.ReadTag(&tag)) {
    if (tag != DelimitedTag(field)) {
      if (!r.Skip(tag)) return false;
    } else if (!r.ReadBytes(&bytes) || !fn(bytes)) {
      return false;
    }
  }
  return r.AtEnd();
}

// Calls fn(tag, reader) for every run of values (field 1) of a list; false where one fails.
template <typename Fn>
bool ForEachRun(absl::string_view list, Fn fn) {
  WireReader r(list);
  uint32_t tag;
  while (r.ReadTag(&tag)) {
    if (tag >> 3 == 1 ? !fn(tag, r) : !r.Skip(tag)) return false;
  }
  return r.AtEnd();
}

bool CountBytes(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    absl::string_view value;
    ++*count;
    return tag == DelimitedTag(1) && r.ReadBytes(&value);
  });
}

bool CountFloats(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    uint32_t bits;
    absl::string_view packed;
    if (tag == Fixed32Tag(1)) {
      ++*count;
      return r.ReadFixed32(&bits);
    }
    if (tag != DelimitedTag(1) || !r.ReadBytes(&packed) || packed.size() % 4 != 0) return false;
    *count += static_cast<int64_t>(packed.size() / 4);
    return true;
  });
}

bool CountInts(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    uint64_t value;
    absl::string_view packed;
    if (tag == VarintTag(1)) {
      ++*count;
      return r.ReadVarint(&value);
    }
    if (tag != DelimitedTag(1) || !r.ReadBytes(&packed)) return false;
    WireReader values(packed);
    while (!values.AtEnd()) {
      if (!values.ReadVarint(&value)) return false;
      ++*count;
    }
    return true;
  });
}

}  // namespace

FeatureIndex::FeatureIndex(std::vector<std::string> names)
    : names_(std::move(names)), next_(names_.size(), -1) {
  absl::flat_hash_map<absl::string_view, int> last;
  for (size_t i = 0; i < names_.size(); ++i) {
    const int number = static_cast<int>(i);
    auto [it, is_new] = last.try_emplace(names_[i], number);
    if (is_new) {
      if (names_.size() > kFewNames) numbers_[names_[i]] = number;
    } else {
      next_[static_cast<size_t>(it->second)] = number;
      it->second = number;
    }
  }
}

int FeatureIndex::Find(absl::string_view name) const {
  if (names_.size() > kFewNames) {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? -1 : it->second;
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    if (name == names_[i]) return static_cast<int>(i);
  }
  return -1;
}

bool FindFeatures(absl::string_view example, const FeatureIndex& index, FeatureView* views) {
  for (size_t i = 0; i < index.size(); ++i) views[i] = FeatureView();
  return ForEachMessage(example, 1, [&](absl::string_view features) {
    return ForEachEntry(features, index, [&](int first, absl::string_view feature) {
      if (!ReadFeature(feature, &views[first])) return false;
      for (int i = index.Next(first); i >= 0; i = index.Next(i)) views[i] = views[first];
      return true;
    });
  });
}

bool FindFeatureLists(absl::string_view sequence, const FeatureIndex& index,
                      FeatureListView* lists) {
  for (size_t i = 0; i < index.size(); ++i) lists[i] = FeatureListView();
  return ForEachMessage(sequence, 2, [&](absl::string_view feature_lists) {
    return ForEachEntry(feature_lists, index, [&](int first, absl::string_view list) {
      for (int i = first; i >= 0; i = index.Next(i)) lists[i] = {true, list};
      return true;
    });
  });
}

bool AppendFeatures(absl::string_view list, std::vector<FeatureView>* views) {
  return ForEachMessage(list, 1, [&](absl::string_view feature) {
    views->emplace_back();
    return ReadFeature(feature, &views->back());
  });
}

StatusOr<int64_t> CountValues(const FeatureView& view) {
  int64_t count = 0;
  bool sound = true;
  switch (view.type) {
    case DType::kString:
      sound = CountBytes(view.list, &count);
      break;
    case DType::kFloat:
      sound = CountFloats(view.list, &count);
      break;
    case DType::kInt64:
      sound = CountInts(view.list, &count);
      break;
    default:
      break;
  }
  if (!sound) return InvalidArgument("the list of values is malformed");
  return count;
}

void DecodeValues(const FeatureView& view, int64_t* out) {
  ForEachRun(view.list, [&out](uint32_t tag, WireReader& r) {
    uint64_t value = 0;
    absl::string_view packed;
    if (tag == VarintTag(1)) {
      if (!r.ReadVarint(&value)) return false;
      *out++ = static_cast<int64_t>(value);
      return true;
    }
    if (!r.ReadBytes(&packed)) return false;
    for (WireReader values(packed); !values.AtEnd();) {
      if (!values.ReadVarint(&value)) return false;
      *out++ = static_cast<int64_t>(value);
    }
    return true;
  });
}

void DecodeValues(const FeatureView& view, float* out) {
  ForEachRun(view.list, [&out](uint32_t tag, WireReader& r) {
    absl::string_view packed;
    if (tag == Fixed32Tag(1)) {
      uint32_t bits;
      if (!r.ReadFixed32(&bits)) return false;
      memcpy(out++, &bits, sizeof(bits));
      return true;
    }
    if (!r.ReadBytes(&packed)) return false;
    memcpy(out, packed.data(), packed.size());
    out += packed.size() / 4;
    return true;
  });
}

void DecodeValues(const FeatureView& view, std::string* out) {
  ForEachRun(view.list, [&out](uint32_t, WireReader& r) {
    absl::string_view value;
    if (!r.ReadBytes(&value)) return false;
    (out++)->assign(value.data(), value.size());
    return true;
  });
}

}  // namespace warpbeam
