#include "tests/fuzz/byte_mutator.h"

#include <algorithm>
#include <cstring>

namespace warpbeam {
namespace fuzz {
namespace {

constexpr size_t kLongestPiece = 64;

struct Piece {
  size_t begin;
  size_t size;
};

Piece PieceOf(RandomSource& random, const std::string& bytes) {
  Piece piece;
  piece.begin = random.Below(bytes.size() + 1);
  // Short pieces are tried more often than long ones.
  const size_t most = std::min(bytes.size() - piece.begin, size_t{1} << random.Below(7));
  piece.size = std::min(kLongestPiece, random.Below(most + 1));
  return piece;
}

// A number in one of the widths and byte orders that formats use.
void WriteNumber(RandomSource& random, std::string* bytes) {
  const size_t width = size_t{1} << random.Below(4);
  if (bytes->size() < width) return;
  const auto number = static_cast<uint64_t>(random.EdgeInt());
  char raw[8];
  memcpy(raw, &number, 8);
  if (random.OneIn(2)) std::reverse(raw, raw + width);
  memcpy(&(*bytes)[random.Below(bytes->size() - width + 1)], raw, width);
}

void AddToByte(RandomSource& random, std::string* bytes) {
  char& byte = random.Pick(*bytes);
  byte = static_cast<char>(byte + static_cast<char>(random.OneIn(2) ? 1 : -1));
}

void Insert(RandomSource& random, std::string* bytes) {
  const size_t at = random.Below(bytes->size() + 1);
  const size_t count = 1 + random.Below(8);
  const char fill = static_cast<char>(random.Next());
  bytes->insert(at, count, fill);
}

}  // namespace

void MutateBytes(RandomSource& random, size_t max_size, std::string* bytes) {
  if (bytes->empty()) {
    Insert(random, bytes);
    return bytes->resize(std::min(bytes->size(), max_size));
  }
  switch (random.Below(8)) {
    case 0:
      random.Pick(*bytes) ^= static_cast<char>(1 << random.Below(8));
      break;
    case 1:
      random.Pick(*bytes) = static_cast<char>(random.Next());
      break;
    case 2:
      WriteNumber(random, bytes);
      break;
    case 3:
      AddToByte(random, bytes);
      break;
    case 4: {
      const Piece piece = PieceOf(random, *bytes);
      bytes->erase(piece.begin, piece.size);
      break;
    }
    case 5: {
      const Piece piece = PieceOf(random, *bytes);
      bytes->insert(random.Below(bytes->size() + 1), bytes->substr(piece.begin, piece.size));
      break;
    }
    case 6: {
      const Piece piece = PieceOf(random, *bytes);
      const std::string copy = bytes->substr(piece.begin, piece.size);
      bytes->replace(random.Below(bytes->size()), copy.size(), copy);
      break;
    }
    default:
      random.OneIn(4) ? bytes->resize(random.Below(bytes->size())) : Insert(random, bytes);
  }
  if (bytes->size() > max_size) bytes->resize(max_size);
}

std::string CrossBytes(RandomSource& random, const std::string& bytes, const std::string& other,
                       size_t max_size) {
  std::string crossed = bytes;
  const size_t from = random.Below(other.size() + 1);
  const size_t size = random.Below(other.size() - from + 1);
  const size_t at = random.Below(crossed.size() + 1);
  const size_t replaced = random.OneIn(2) ? size : random.Below(crossed.size() - at + 1);
  crossed.replace(at, replaced, other, from, size);
  if (crossed.size() > max_size) crossed.resize(max_size);
  return crossed;
}

}  // namespace fuzz
}  // namespace warpbeam
