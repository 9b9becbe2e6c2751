// Products of the rows of a sparse table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace hungjury {

// Entries of a sparse table put in the order of a key; those of equal keys stay in order.
struct ByKey {
    std::vector<size_t> begin;    // those of key k: entry[begin[k]] .. entry[begin[k + 1]]
    std::vector<uint32_t> entry;  // there are many: numbers of four bytes

    ByKey(const int32_t *key, size_t entries, size_t keys) {
        sort(key, entries, keys, [](size_t i) { return i; });
    }
    ByKey(const int32_t *key, const std::vector<uint32_t> &entries, size_t keys) {
        sort(key, entries.size(), keys, [&](size_t i) { return entries[i]; });
    }

private:
    template <class Nth>
    void sort(const int32_t *key, size_t entries, size_t keys, const Nth &nth) {
        if (entries > UINT32_MAX) throw std::length_error("more than 2^32 entries");
        begin.assign(keys + 1, 0);
        entry.resize(entries);
        for (size_t i = 0; i < entries; ++i) ++begin[static_cast<size_t>(key[nth(i)]) + 1];
        for (size_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
        std::vector<size_t> next(begin.begin(), begin.end() - 1);
        for (size_t i = 0; i < entries; ++i)
            entry[next[static_cast<size_t>(key[nth(i)])]++] = static_cast<uint32_t>(nth(i));
    }
};

// out[a, b]: left[a, c] * right[b, c] summed over columns c; `out` starts as zeros. A row of it
// is finished before the next one begins and stays in the cache. Where left and right are one
// array, half of the table is worked out and mirrored.
inline void row_products(const int32_t *row, const int32_t *column, const double *left,
                         const double *right, size_t entries, size_t rows, size_t columns,
                         double *out) {
    ByKey by_row(row, entries, rows), by_column(column, by_row.entry, columns);
    std::vector<int32_t> holder(entries);  // ascending within a column
    std::vector<double> value(entries);
    for (size_t i = 0; i < entries; ++i) {
        holder[i] = row[by_column.entry[i]];
        value[i] = right[by_column.entry[i]];
    }
    bool mirrored = left == right;
    for (size_t a = 0; a < rows; ++a) {
        double *here = out + a * rows;
        for (size_t i = by_row.begin[a]; i < by_row.begin[a + 1]; ++i) {
            double one = left[by_row.entry[i]];
            if (one == 0) continue;
            auto c = static_cast<size_t>(column[by_row.entry[i]]);
            size_t k = by_column.begin[c], end = by_column.begin[c + 1];
            if (mirrored)
                k = static_cast<size_t>(std::lower_bound(&holder[k], &holder[0] + end,
                                                         static_cast<int32_t>(a)) - &holder[0]);
            for (; k < end; ++k) here[holder[k]] += one * value[k];
        }
    }
    if (mirrored)
        for (size_t a = 0; a < rows; ++a)
            for (size_t b = 0; b < a; ++b) out[a * rows + b] = out[b * rows + a];
}

}  // namespace hungjury
