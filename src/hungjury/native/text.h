// Bytes: loading, comparing, hashing, checking them. No I/O here: Python reads, we parse.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(_MSC_VER)
#include <intrin.h>
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

// Of a word that is not zero.
inline uint32_t lowest_bit(uint64_t word) {
#if defined(_MSC_VER)
    unsigned long at;
    _BitScanForward64(&at, word);
    return at;
#else
    return static_cast<uint32_t>(__builtin_ctzll(word));
#endif
}

// By hand: not every processor we are compiled for has an instruction for it.
inline uint32_t bit_count(uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return static_cast<uint32_t>((word * 0x0101010101010101ull) >> 56);
}

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
inline bool is_utf8(Bytes text) {
    static constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    size_t i = 0;
    while (i + 8 <= text.size() && !(load<uint64_t>(text.data() + i) & 0x8080808080808080ull)) i += 8;
    for (; i < text.size(); ++i) {
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
