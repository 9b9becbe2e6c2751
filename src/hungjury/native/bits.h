// Counting the bits of words.
#pragma once

#include <cstddef>
#include <cstdint>

// One more copy for processors that count bits in one instruction.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define HUNGJURY_POPCNT __attribute__((target_clones("popcnt", "default")))
#else
#define HUNGJURY_POPCNT
#endif

namespace hungjury {

inline int64_t count_bits(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_popcountll(bits);
#else
    int64_t count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
#endif
}

// How many bits two sets have in common.
inline int64_t in_both(const uint64_t *one, const uint64_t *other, size_t words) {
    int64_t count = 0;
    for (size_t w = 0; w < words; ++w) count += count_bits(one[w] & other[w]);
    return count;
}

}  // namespace hungjury
