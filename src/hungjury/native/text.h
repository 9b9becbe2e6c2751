// Bytes, tokens and numbers: what every reader of a text file needs. No I/O here: Python reads, we parse.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hungjury {

using Bytes = std::string_view;

// A line that cannot be read; Python adds the file's name and the remedy.
struct BadLine : std::runtime_error {
    BadLine(uint64_t line, const std::string &what) : std::runtime_error(what), line(line) {}
    uint64_t line;
};

inline uint64_t load_tail(const char *p, size_t n) {
    uint64_t word = 0;
    std::memcpy(&word, p, n);
    return word;
}

// A 64-bit hash, eight bytes at a time (multiply and fold, as in the wyhash family).
inline uint64_t hash_bytes(Bytes s) {
    constexpr uint64_t k1 = 0x9E3779B97F4A7C15ull, k2 = 0xD6E8FEB86659FD93ull;
    uint64_t h = s.size() * k1;
    const char *p = s.data();
    size_t n = s.size();
    for (; n >= 8; p += 8, n -= 8) {
        h = (h ^ load_tail(p, 8)) * k2;
        h ^= h >> 32;
    }
    h = (h ^ load_tail(p, n)) * k1;
    h ^= h >> 29;
    h *= k2;
    return h ^ (h >> 32);
}

inline const std::array<bool, 256> &blank_table() {
    static const std::array<bool, 256> table = [] {
        std::array<bool, 256> t{};
        for (unsigned char c : {' ', '\t', '\r', '\v', '\f', '\n'}) t[c] = true;
        return t;
    }();
    return table;
}

// Splits a line into at most `want` tokens; returns how many there are (`want` + 1 means "more").
inline int split(const char *p, const char *end, Bytes *tokens, int want) {
    const auto &blank = blank_table();
    int found = 0;
    for (;;) {
        while (p < end && blank[static_cast<unsigned char>(*p)]) ++p;
        if (p == end) return found;
        if (found == want) return want + 1;
        const char *start = p;
        while (p < end && !blank[static_cast<unsigned char>(*p)]) ++p;
        tokens[found++] = Bytes(start, static_cast<size_t>(p - start));
    }
}

inline double parse_slowly(Bytes text) {
    double value = NAN;
#if defined(__cpp_lib_to_chars)
    if (text.front() == '+') text.remove_prefix(1);
    auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec == std::errc()) return value;
#endif
    return std::strtod(std::string(text).c_str(), nullptr);
}

// The ordinary decimal form is exact when the digits fit 53 bits and the power of ten is exact in
// a double; everything else goes to the standard library, which is slower but right.
inline bool parse_number(Bytes text, double &out) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text.data(), *end = p + text.size();
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    uint64_t digits = 0;
    int seen = 0, exponent = 0;
    bool simple = true;
    for (; p < end && *p >= '0' && *p <= '9'; ++p, ++seen) {
        if (digits > 900719925474098ull) simple = false;
        else digits = digits * 10 + static_cast<uint64_t>(*p - '0');
    }
    if (p < end && *p == '.') {
        for (++p; p < end && *p >= '0' && *p <= '9'; ++p, ++seen) {
            if (digits > 900719925474098ull) simple = false;
            else digits = digits * 10 + static_cast<uint64_t>(*p - '0'), --exponent;
        }
    }
    if (seen == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        bool minus = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        if (p == end) return false;
        int power = 0;
        for (; p < end && *p >= '0' && *p <= '9'; ++p)
            if (power < 100000) power = power * 10 + (*p - '0');
        exponent += minus ? -power : power;
    }
    if (p != end) return false;
    if (simple && exponent >= -22 && exponent <= 22) {
        double value = static_cast<double>(digits);
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
        out = negative ? -value : value;
        return true;
    }
    out = parse_slowly(text);
    return std::isfinite(out);
}

// Cuts a stream of chunks into lines; a line that crosses a chunk's end is carried over.
// `on_line(first, last, number)` never sees the newline itself.
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
            on_line(carry_.data(), carry_.data() + carry_.size(), ++number_);
            carry_.clear();
            p = stop + 1;
        }
        while (p < end) {
            const char *stop =
                static_cast<const char *>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
            if (!stop) break;
            on_line(p, stop, ++number_);
            p = stop + 1;
        }
        carry_.assign(p, static_cast<size_t>(end - p));
    }
    template <class F> void finish(F &&on_line) {
        if (carry_.empty()) return;
        on_line(carry_.data(), carry_.data() + carry_.size(), ++number_);
        carry_.clear();
    }

  private:
    std::string carry_;
    uint64_t number_ = 0;
};

inline bool is_comment(const char *p, const char *end) { return p < end && *p == '#'; }

// At most 60 bytes of a token, for error messages.
inline std::string shown(Bytes token) {
    if (token.size() <= 60) return std::string(token);
    return std::string(token.substr(0, 57)) + "...";
}

}  // namespace hungjury
