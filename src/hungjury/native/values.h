// Labels as values: which there are, and their places on a scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hungjury {

// Every value and how often it occurs, in ascending order; NaN is left out. Small whole numbers,
// as grades are, are counted without sorting.
inline std::vector<std::pair<double, int64_t>> distinct_values(const double *values, size_t number) {
    constexpr int32_t largest = 1 << 12;
    std::vector<int64_t> whole(2 * largest + 1);
    std::vector<double> others;
    for (size_t i = 0; i < number; ++i) {
        double value = values[i];
        auto near = static_cast<int32_t>(value >= -largest && value <= largest ? value : 0);
        if (value == near) ++whole[static_cast<size_t>(near + largest)];
        else if (!std::isnan(value)) others.push_back(value);
    }
    std::sort(others.begin(), others.end());
    std::vector<std::pair<double, int64_t>> out;
    for (int32_t k = -largest; k <= largest; ++k)
        if (int64_t count = whole[static_cast<size_t>(k + largest)]) out.emplace_back(k, count);
    auto fractions = static_cast<std::ptrdiff_t>(out.size());
    for (double value : others)
        if (static_cast<std::ptrdiff_t>(out.size()) > fractions && out.back().first == value)
            ++out.back().second;
        else
            out.emplace_back(value, 1);
    std::inplace_merge(out.begin(), out.begin() + fractions, out.end());
    return out;
}

// The place of each label in ascending grades, or -1.
inline void places_of(const double *label, size_t number, const int64_t *grades, size_t size,
                      int16_t *out) {
    double first = static_cast<double>(grades[0]), last = static_cast<double>(grades[size - 1]);
    std::vector<int16_t> place(static_cast<size_t>(grades[size - 1] - grades[0]) + 1, -1);
    for (size_t g = 0; g < size; ++g)
        place[static_cast<size_t>(grades[g] - grades[0])] = static_cast<int16_t>(g);
    for (size_t i = 0; i < number; ++i) {
        bool inside = label[i] >= first && label[i] <= last;
        auto step = static_cast<size_t>(inside ? label[i] - first : 0);
        bool whole = inside && static_cast<double>(step) == label[i] - first;
        out[i] = whole ? place[step] : int16_t{-1};
    }
}

// [key]: how often it occurs.
inline void count_keys(const int32_t *key, size_t number, int64_t *out) {
    for (size_t i = 0; i < number; ++i) ++out[key[i]];
}

// [key]: the sum of values [other key].
inline void sum_by_key(const int32_t *key, const int32_t *other, const double *value, size_t number,
                       double *out) {
    for (size_t i = 0; i < number; ++i) out[key[i]] += value[other[i]];
}

// [key]: the largest value, or 0.
inline void largest_by_key(const int32_t *key, const double *value, size_t number, double *out) {
    for (size_t i = 0; i < number; ++i) out[key[i]] = std::max(out[key[i]], value[i]);
}

}  // namespace hungjury
