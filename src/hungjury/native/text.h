// Bytes, tokens and numbers: what every reader of a text file needs. No I/O here: Python reads, we parse.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hungjury {

using Bytes = std::string_view;

// A line that cannot be read; Python adds the file's name and the remedy.
struct BadLine : std::runtime_error {
    BadLine(uint64_t line, const std::string &what) : std::runtime_error(what), line(line) {}
    uint64_t line;
};

template <class Word> uint64_t load(const char *p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// Fewer than eight bytes as a number, a different one for every content of the same length.
inline uint64_t load_tail(const char *p, size_t n) {
    if (n >= 4) return load<uint32_t>(p) | load<uint32_t>(p + n - 4) << 32;
    if (n == 0) return 0;
    return load<uint8_t>(p) | load<uint8_t>(p + n / 2) << 8 | load<uint8_t>(p + n - 1) << 16;
}

// Equality of short tokens: a call to memcmp costs more than the comparison.
inline bool same(Bytes a, Bytes b) {
    if (a.size() != b.size()) return false;
    const char *p = a.data(), *q = b.data();
    size_t n = a.size();
    for (; n >= 8; p += 8, q += 8, n -= 8)
        if (load<uint64_t>(p) != load<uint64_t>(q)) return false;
    return load_tail(p, n) == load_tail(q, n);
}

// A 64-bit hash, eight bytes at a time (multiply and fold, as in the wyhash family).
inline uint64_t hash_bytes(Bytes s) {
    constexpr uint64_t k1 = 0x9E3779B97F4A7C15ull, k2 = 0xD6E8FEB86659FD93ull;
    uint64_t h = s.size() * k1;
    const char *p = s.data();
    size_t n = s.size();
    for (; n >= 8; p += 8, n -= 8) {
        h = (h ^ load<uint64_t>(p)) * k2;
        h ^= h >> 32;
    }
    h = (h ^ load_tail(p, n)) * k1;
    h ^= h >> 29;
    h *= k2;
    return h ^ (h >> 32);
}

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// One line of a file: [begin, end) without its newline; bytes up to `readable` may be looked at.
struct Line {
    const char *begin, *end, *readable;
    uint64_t number;
};

inline int split_slowly(const char *p, const char *end, Bytes *tokens, int want) {
    int found = 0;
    for (;;) {
        while (p < end && is_blank(*p)) ++p;
        if (p == end) return found;
        if (found == want) return want + 1;
        const char *start = p;
        while (p < end && !is_blank(*p)) ++p;
        tokens[found++] = Bytes(start, static_cast<size_t>(p - start));
    }
}

#if defined(__SSE2__)
// Bit i is set where byte i of the next 64 is a blank.
inline uint64_t blanks_of_64(const char *p) {
    const __m128i space = _mm_set1_epi8(' '), below = _mm_set1_epi8('\t' - 1),
                  above = _mm_set1_epi8('\r' + 1);
    uint64_t mask = 0;
    for (int i = 0; i < 4; ++i) {
        __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * i));
        __m128i control = _mm_and_si128(_mm_cmpgt_epi8(bytes, below), _mm_cmplt_epi8(bytes, above));
        __m128i blank = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, space));
        mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(blank))) << (16 * i);
    }
    return mask;
}
#endif

// Splits a line into at most `want` (up to 6) tokens; returns how many there are (`want` + 1
// means "more"). Where vectors are at hand, 64 bytes are classified at once and only the places
// where blank and text meet are visited: no branch depends on the length of a token.
inline int split(const Line &line, Bytes *tokens, int want) {
#if defined(__SSE2__)
    const auto length = static_cast<size_t>(line.end - line.begin);
    const size_t windows = (length + 63) / 64;
    if (line.begin + 64 * windows > line.readable)
        return split_slowly(line.begin, line.end, tokens, want);
    const char *edges[13 + 64];
    int found = 0, most = 2 * want + 1;
    uint64_t before = 1;  // a line begins as if after a blank
    for (size_t w = 0; w < windows && found < most; ++w) {
        const char *window = line.begin + 64 * w;
        uint64_t blank = blanks_of_64(window);
        if (w + 1 == windows && length % 64) blank |= ~0ull << (length % 64);
        uint64_t meet = blank ^ (blank << 1 | before);
        before = blank >> 63;
        for (; meet; meet &= meet - 1) edges[found++] = window + __builtin_ctzll(meet);
    }
    if (found % 2) edges[found++] = line.end;
    int count = std::min(found / 2, want + 1);
    for (int i = 0; i < std::min(count, want); ++i)
        tokens[i] = Bytes(edges[2 * i], static_cast<size_t>(edges[2 * i + 1] - edges[2 * i]));
    return count;
#else
    return split_slowly(line.begin, line.end, tokens, want);
#endif
}

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Any decimal number, checked letter by letter and then read by the standard library.
inline bool parse_any_number(Bytes text, double &out) {
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

// The short form nearly all numbers have, digits with at most one dot, is exact as a quotient of
// two doubles; the rest goes the long way.
inline bool parse_number(Bytes text, double &out) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t n = text.size(), i = n > 0 && text[0] == '-';
    const bool negative = i;
    if (n - i > 16 || n == i) return parse_any_number(text, out);
    uint64_t value = 0;
    size_t dot = n;
    for (; i < n; ++i) {
        if (is_digit(text[i])) value = value * 10 + static_cast<uint64_t>(text[i] - '0');
        else if (text[i] == '.' && dot == n) dot = i;
        else return parse_any_number(text, out);
    }
    size_t decimals = dot == n ? 0 : n - 1 - dot;
    if (value > (1ull << 53) || n - negative == (dot != n)) return parse_any_number(text, out);
    double quotient = static_cast<double>(value) / powers[decimals];
    out = negative ? -quotient : quotient;
    return true;
}

// A whole number below a thousand million, or -1.
inline int32_t parse_rank(Bytes text) {
    if (text.empty() || text.size() > 9) return -1;
    int32_t value = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

// Cuts a stream of chunks into lines; a line that crosses a chunk's end is carried over.
class Lines {
  public:
    template <class F> void feed(Bytes chunk, F &&on_line) {
        const char *p = chunk.data(), *end = p + chunk.size();
        if (!carry_.empty()) {
            const char *stop = static_cast<const char *>(std::memchr(p, '\n', chunk.size()));
            if (!stop) {
                carry_.append(p, chunk.size());
                return;
            }
            carry_.append(p, static_cast<size_t>(stop - p));
            finish(on_line);
            p = stop + 1;
        }
        while (p < end) {
            const char *stop =
                static_cast<const char *>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
            if (!stop) break;
            on_line(Line{p, stop, end, ++number_});
            p = stop + 1;
        }
        carry_.assign(p, static_cast<size_t>(end - p));
    }
    template <class F> void finish(F &&on_line) {
        if (carry_.empty()) return;
        const char *p = carry_.data(), *end = p + carry_.size();
        on_line(Line{p, end, end, ++number_});
        carry_.clear();
    }

  private:
    std::string carry_;
    uint64_t number_ = 0;
};

inline bool is_comment(const Line &line) { return line.begin < line.end && *line.begin == '#'; }

// Well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
inline bool is_utf8(Bytes text) {
    static constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    for (size_t i = 0; i < text.size(); ++i) {
        auto first = static_cast<uint8_t>(text[i]);
        if (first < 0x80) continue;
        if (first < 0xC0 || first > 0xF7) return false;
        int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        uint32_t code = first & (0x3Fu >> more);
        for (int k = 0; k < more; ++k) {
            if (++i == text.size() || (text[i] & 0xC0) != 0x80) return false;
            code = code << 6 | (text[i] & 0x3Fu);
        }
        if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    }
    return true;
}

// At most 60 bytes of a token, for error messages.
inline std::string shown(Bytes token) {
    if (token.size() <= 60) return std::string(token);
    return std::string(token.substr(0, 57)) + "...";
}

inline void check_utf8(const char *what, Bytes name, uint64_t line) {
    if (is_utf8(name)) return;
    throw BadLine(line, "the " + std::string(what) + " '" + shown(name) + "' is not UTF-8");
}

}  // namespace hungjury
