// Decimal numbers in text, eight digits at a time.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "text.h"

namespace hungjury {

// Eight bytes, the first of them lowest; those from `readable` on are taken as zero.
inline uint64_t eight_bytes(const char *p, const char *readable) {
    uint64_t word = 0;
    if (p + 8 <= readable) word = load<uint64_t>(p);
    else if (p < readable) std::memcpy(&word, p, static_cast<size_t>(readable - p));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Digits as bytes from 0 to 9, the first of them lowest: is there nothing else, and their number.
inline bool all_digits(uint64_t bytes) {
    return ((bytes | (bytes + 0x7676767676767676ull)) & 0x8080808080808080ull) == 0;
}
inline uint64_t number_of(uint64_t bytes) {
    bytes = bytes * 10 + (bytes >> 8);  // every other byte: a number of two digits
    constexpr uint64_t pairs = 0x000000FF000000FFull;
    uint64_t high = (bytes & pairs) * (100 + (1000000ull << 32));
    uint64_t low = ((bytes >> 16) & pairs) * (1 + (10000ull << 32));
    return (high + low) >> 32;
}

// The first `size` of eight bytes with zeros before them; digits become 0 to 9, all else larger.
inline uint64_t digit_bytes(uint64_t bytes, size_t size) {
    return (bytes ^ 0x3030303030303030ull) << (64 - 8 * size);
}

// Up to eight digits with at most one dot among them.
struct Digits {
    uint64_t value;
    uint32_t decimals;  // behind the dot; 0 where there is none
    bool dot, good;     // good: nothing else is there
};

inline Digits digits_of(uint64_t bytes, size_t size) {
    bytes = digit_bytes(bytes, size);
    Digits out{0, 0, false, false};
    uint64_t dots = bytes ^ ('.' ^ '0') * 0x0101010101010101ull;  // a dot becomes 0
    dots = (dots - 0x0101010101010101ull) & ~dots & 0x8080808080808080ull;
    if (dots) {
        uint32_t at = lowest_bit(dots) & ~7u;
        uint64_t before = (1ull << at) - 1;
        out.dot = true;
        out.decimals = 7 - at / 8;
        bytes = (bytes & before) << 8 | (bytes & ~(before << 8 | 255));
    }
    out.good = all_digits(bytes);
    out.value = number_of(bytes);
    return out;
}

// Any decimal number, checked letter by letter and then read by the standard library.
HUNGJURY_RARE inline bool parse_any_number(Bytes text, double &out) {
    const char *p = text.data(), *end = p + text.size();
    if (p < end && (*p == '-' || *p == '+')) ++p;
    const char *digits = p;
    while (p < end && is_digit(*p)) ++p;
    auto seen = p - digits;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (p < end && is_digit(*p)) ++p;
        seen += p - fraction;
    }
    if (seen == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p < end && (*p == '-' || *p == '+')) ++p;
        const char *exponent = p;
        while (p < end && is_digit(*p)) ++p;
        if (p == exponent) return false;
    }
    if (p != end) return false;
#if defined(__cpp_lib_to_chars)
    Bytes plain = text.front() == '+' ? text.substr(1) : text;
    if (std::from_chars(plain.data(), end, out).ec == std::errc()) return std::isfinite(out);
#endif
    out = std::strtod(std::string(text).c_str(), nullptr);  // too large or too small: inf or 0
    return std::isfinite(out);
}

// The short form nearly all numbers have, up to sixteen digits with at most one dot, is exact as a
// quotient of two doubles; the rest takes the slow path.
HUNGJURY_INLINE bool parse_number(Bytes text, const char *readable, double &out) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = text.front() == '-';
    const char *p = text.data() + negative;
    const size_t n = text.size() - negative;
    if (n == 0 || n > 16) return parse_any_number(text, out);
    size_t first = n > 8 ? n - 8 : n;
    Digits all = digits_of(eight_bytes(p, readable), first);
    if (n > 8) {
        Digits rest = digits_of(eight_bytes(p + first, readable), 8);
        all.value = all.value * (rest.dot ? 10000000 : 100000000) + rest.value;
        all.decimals = all.dot ? all.decimals + 8 : rest.decimals;
        all.good = all.good && rest.good && !(all.dot && rest.dot) && all.value <= 1ull << 53;
        all.dot |= rest.dot;
    }
    if (!all.good || n == all.dot) return parse_any_number(text, out);
    double quotient = static_cast<double>(all.value) / powers[all.decimals];
    out = negative ? -quotient : quotient;
    return true;
}

// Any integer; one outside of 32 bits becomes the nearest inside.
HUNGJURY_RARE inline bool parse_any_integer(Bytes text, int32_t &out) {
    const bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    if (text.empty()) return false;
    int64_t value = 0;
    for (char c : text) {
        if (!is_digit(c)) return false;
        value = std::min<int64_t>(10 * value + (c - '0'), INT32_MAX);
    }
    out = static_cast<int32_t>(negative ? -value : value);
    return true;
}
// Up to eight digits at once, as nearly all integers are; the rest takes the slow path.
HUNGJURY_INLINE bool parse_integer(Bytes text, const char *readable, int32_t &out) {
    if (text.size() > 8) return parse_any_integer(text, out);
    uint64_t bytes = digit_bytes(eight_bytes(text.data(), readable), text.size());
    if (!all_digits(bytes)) return parse_any_integer(text, out);
    out = static_cast<int32_t>(number_of(bytes));
    return true;
}

}  // namespace hungjury
