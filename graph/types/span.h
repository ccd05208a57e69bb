// Span<T>: elements that lie one after the other in somebody else's memory, as C++20's std::span.
//
// `Span<const T>` reads them, and is made from whatever has them: an array, a std::vector, an
// initializer list (for the length of a call). `Span<T>` also writes them.
//
//   int64_t Product(Span<const int64_t> dims);
//   Product({2, 3});  Product(std::vector<int64_t>{4});  Product(MakeConstSpan(pointer, 2));
//
// Thread safety: a value, as a pointer is. It must not outlive the elements. Indices are not
// checked.
#ifndef WARPBEAM_GRAPH_TYPES_SPAN_H_
#define WARPBEAM_GRAPH_TYPES_SPAN_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace warpbeam {

template <typename T>
class Span;

namespace internal_span {

template <typename C>
using ElementOf = std::remove_pointer_t<decltype(std::declval<C&>().data())>;

// Containers whose data() points to Ts, without a T that begins a larger object of a derived class.
template <typename T, typename C, typename = void>
struct Holds : std::false_type {};
template <typename T, typename C>
struct Holds<T, C, std::void_t<ElementOf<C>, decltype(std::declval<C&>().size())>>
    : std::is_convertible<ElementOf<C> (*)[], T (*)[]> {};

template <typename C>
struct IsSpan : std::false_type {};
template <typename T>
struct IsSpan<Span<T>> : std::true_type {};

}  // namespace internal_span

template <typename T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr size_t npos = static_cast<size_t>(-1);

  constexpr Span() noexcept = default;
  constexpr Span(T* data, size_t size) noexcept : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) noexcept : Span(array, N) {}  // NOLINT
  // From a container; one that is const, or about to go, gives elements that are read only.
  template <typename C, std::enable_if_t<internal_span::Holds<T, C>::value &&
                                             !std::is_same_v<std::remove_cv_t<C>, Span>,
                                         int> = 0>
  constexpr Span(C& container) noexcept : Span(container.data(), container.size()) {}  // NOLINT
  template <typename C,
            std::enable_if_t<std::is_const_v<T> && internal_span::Holds<T, const C>::value &&
                                 !std::is_same_v<std::remove_cv_t<C>, Span>,
                             int> = 0>
  constexpr Span(const C& container) noexcept  // NOLINT
      : Span(container.data(), container.size()) {}
  // Good for the length of a call.
  template <typename U = T, std::enable_if_t<std::is_const_v<U>, int> = 0>
  constexpr Span(std::initializer_list<value_type> list) noexcept  // NOLINT
      : Span(list.begin(), list.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr size_t length() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  // The elements from `from` on, at most `count` of them; none beyond the end.
  constexpr Span subspan(size_t from, size_t count = npos) const {
    const size_t begin = std::min(from, size_);
    return Span(data_ + begin, std::min(count, size_ - begin));
  }
  constexpr Span first(size_t count) const { return subspan(0, count); }
  constexpr Span last(size_t count) const { return subspan(size_ - std::min(count, size_)); }
  constexpr void remove_prefix(size_t count) { *this = subspan(count); }
  constexpr void remove_suffix(size_t count) { *this = first(size_ - std::min(count, size_)); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// Equal in size and elements; either side may be a container.
template <typename T, typename U>
bool operator==(Span<T> a, Span<U> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
template <
    typename T, typename C,
    std::enable_if_t<
        internal_span::Holds<const T, const C>::value && !internal_span::IsSpan<C>::value, int> = 0>
bool operator==(Span<T> a, const C& b) {
  return a == Span<const T>(b);
}
template <
    typename C, typename T,
    std::enable_if_t<
        internal_span::Holds<const T, const C>::value && !internal_span::IsSpan<C>::value, int> = 0>
bool operator==(const C& a, Span<T> b) {
  return Span<const T>(a) == b;
}
template <typename T, typename C>
auto operator!=(Span<T> a, const C& b) -> decltype(!(a == b)) {
  return !(a == b);
}

// By their elements in order, as words in a dictionary.
template <typename T>
bool operator<(Span<T> a, Span<T> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// For hash tables of Abseil: the elements, as their container would be hashed.
template <typename H, typename T>
H AbslHashValue(H hash, Span<T> span) {
  return H::combine(H::combine_contiguous(std::move(hash), span.data(), span.size()), span.size());
}

// A span with its element type deduced.
template <typename T>
constexpr Span<T> MakeSpan(T* data, size_t size) {
  return Span<T>(data, size);
}
template <typename T>
constexpr Span<T> MakeSpan(T* begin, T* end) {
  return Span<T>(begin, static_cast<size_t>(end - begin));
}
template <typename T, size_t N>
constexpr Span<T> MakeSpan(T (&array)[N]) {
  return Span<T>(array);
}
template <typename C>
constexpr auto MakeSpan(C& container) {
  return Span<std::remove_pointer_t<decltype(container.data())>>(container);
}
template <typename T>
constexpr Span<const T> MakeConstSpan(const T* data, size_t size) {
  return Span<const T>(data, size);
}
template <typename C>
constexpr auto MakeConstSpan(const C& container) {
  return Span<const std::remove_pointer_t<decltype(container.data())>>(container);
}
template <typename T, size_t N>
constexpr Span<const T> MakeConstSpan(const T (&array)[N]) {
  return Span<const T>(array);
}

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_SPAN_H_
