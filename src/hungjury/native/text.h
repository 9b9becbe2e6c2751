// Bytes: loading, comparing, hashing, checking them. No I/O here: Python reads, we parse.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(_MSC_VER)
#define HUNGJURY_INLINE __forceinline
#define HUNGJURY_RARE __declspec(noinline)
#else
#define HUNGJURY_INLINE __attribute__((always_inline)) inline
#define HUNGJURY_RARE __attribute__((noinline, cold))
#endif

namespace hungjury {

using Bytes = std::string_view;

// A line that cannot be read. Python adds the file's name, and a remedy by the code.
struct BadLine : std::runtime_error {
    BadLine(uint64_t line, const char *code, const std::string &what)
        : std::runtime_error(what), line(line), code(code) {}
    uint64_t line;
    const char *code;
};

template <class Word> uint64_t load(const char *p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// Prefetch.
inline void fetch(const void *p) {
#if defined(_MSC_VER)
    (void)p;
#else
    __builtin_prefetch(p);
#endif
}

// Fewer than eight bytes as a number, a different one for every content of the same length.
inline uint64_t load_few(const char *p, size_t n) {
    if (n >= 4) return load<uint32_t>(p) | load<uint32_t>(p + n - 4) << 32;
    if (n == 0) return 0;
    return load<uint8_t>(p) | load<uint8_t>(p + n / 2) << 8 | load<uint8_t>(p + n - 1) << 16;
}

// Short tokens, eight bytes at a time, the last eight perhaps once more: a call to memcpy or memcmp
// costs more than the work.
inline void copy(Bytes s, char *to) {
    const char *p = s.data();
    size_t n = s.size();
    if (n < 8) {
        for (size_t i = 0; i < n; ++i) to[i] = p[i];
        return;
    }
    for (size_t i = 0; i + 8 < n; i += 8) std::memcpy(to + i, p + i, 8);
    std::memcpy(to + n - 8, p + n - 8, 8);
}
inline bool same(Bytes a, Bytes b) {
    if (a.size() != b.size()) return false;
    const char *p = a.data(), *q = b.data();
    size_t n = a.size();
    if (n < 8) return load_few(p, n) == load_few(q, n);
    for (size_t i = 0; i + 8 < n; i += 8)
        if (load<uint64_t>(p + i) != load<uint64_t>(q + i)) return false;
    return load<uint64_t>(p + n - 8) == load<uint64_t>(q + n - 8);
}

// Both halves of a product of 128 bits, one upon the other.
inline uint64_t fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;  // not ISO C++, but gcc and clang have it
    Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
    constexpr uint64_t half = 0xFFFFFFFFull;
    uint64_t low = (a & half) * (b & half);
    uint64_t left = (a >> 32) * (b & half), right = (a & half) * (b >> 32);
    uint64_t carried = ((low >> 32) + (left & half) + (right & half)) >> 32;
    return (a * b) ^ ((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + carried);
#endif
}

// Drawn in each process: nobody can write a file whose ids all fall into one slot of a
// hash table. No result depends on it.
struct HashKeys {
    uint64_t k1, k2;
    HashKeys() {
        std::random_device device;
        auto word = [&] { return static_cast<uint64_t>(device()) << 32 | device(); };
        k1 = word() | 1;
        k2 = word();
    }
};
inline const HashKeys hash_keys;

// A 64-bit hash, sixteen bytes at a time (multiply and fold, as in the wyhash family).
inline uint64_t hash_bytes(Bytes s) {
    const uint64_t k1 = hash_keys.k1, k2 = hash_keys.k2;
    const char *p = s.data(), *end = p + s.size();
    uint64_t first, last = 0, h = k1;
    if (s.size() < 8) {
        first = load_few(p, s.size());
    } else {
        for (; end - p > 16; p += 16) h = fold(load<uint64_t>(p) ^ k2, load<uint64_t>(p + 8) ^ h);
        first = load<uint64_t>(s.size() < 16 ? p : end - 16);
        last = load<uint64_t>(end - 8);
    }
    return fold(fold(first ^ k2, last ^ h) ^ s.size(), k1);
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

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline bool is_ascii(Bytes s) {
    constexpr uint64_t high = 0x8080808080808080ull;
    size_t n = s.size();
    if (n < 8) return !(load_few(s.data(), n) & high);
    uint64_t seen = load<uint64_t>(s.data() + n - 8);
    for (size_t i = 0; i + 8 < n; i += 8) seen |= load<uint64_t>(s.data() + i);
    return !(seen & high);
}

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

[[noreturn]] HUNGJURY_RARE inline void refuse_bytes(const char *what, Bytes name, uint64_t line) {
    throw BadLine(line, "not-utf8", "the " + std::string(what) + " '" + shown(name) + "' is not UTF-8");
}
// At the start of a file the mark has been removed: elsewhere it would be part of an id.
[[noreturn]] HUNGJURY_RARE inline void refuse_mark(uint64_t line) {
    throw BadLine(line, "byte-order-mark", "there is a byte-order mark inside the file");
}
inline void check_utf8(const char *what, Bytes name, uint64_t line) {
    if (is_ascii(name)) return;
    if (name.substr(0, 3) == "\xEF\xBB\xBF") refuse_mark(line);
    if (!is_utf8(name)) refuse_bytes(what, name, line);
}

}  // namespace hungjury
