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

constexpr int32_t ROWS_AT_ONCE = 32;  // of the products, 256 kB for 1000 systems

// out[a, b]: left[a, c] * right[b, c] summed over columns c; `out` starts as zeros. A few rows of it
// are finished before the next ones begin and stay in the cache; columns are read in order, once for
// these rows. Where left and right are one array, half of the table is worked out and mirrored.
inline void row_products(const int32_t *row, const int32_t *column, const double *left,
                         const double *right, size_t entries, size_t rows, size_t columns,
                         double *out) {
    bool mirrored = left == right;
    std::vector<int32_t> holder(entries);  // ascending within a column
    std::vector<double> value(entries), other(mirrored ? 0 : entries);
    std::vector<uint32_t> begin, end, next;  // of columns that have entries
    {
        ByKey by_row(row, entries, rows), by_column(column, by_row.entry, columns);
        for (size_t i = 0; i < entries; ++i) {
            holder[i] = row[by_column.entry[i]];
            value[i] = right[by_column.entry[i]];
            if (!mirrored) other[i] = left[by_column.entry[i]];
        }
        for (size_t c = 0; c < columns; ++c)
            if (by_column.begin[c] < by_column.begin[c + 1]) {
                begin.push_back(static_cast<uint32_t>(by_column.begin[c]));
                end.push_back(static_cast<uint32_t>(by_column.begin[c + 1]));
            }
    }
    next = begin;  // the first entry in rows that are still to come
    const double *lefts = mirrored ? value.data() : other.data();
    for (size_t upto = 0; upto < rows;) {
        upto = std::min<size_t>(upto + ROWS_AT_ONCE, rows);
        for (size_t c = 0; c < begin.size(); ++c) {
            size_t i = next[c], last = end[c], own = i;  // the first entry of the same row
            for (; i < last && static_cast<size_t>(holder[i]) < upto; ++i) {
                if (holder[i] != holder[own]) own = i;
                double one = lefts[i];
                if (one == 0) continue;
                double *here = out + static_cast<size_t>(holder[i]) * rows;
                for (size_t k = mirrored ? own : begin[c]; k < last; ++k)
                    here[holder[k]] += one * value[k];
            }
            next[c] = static_cast<uint32_t>(i);
        }
    }
    if (mirrored)
        for (size_t a = 0; a < rows; ++a)
            for (size_t b = 0; b < a; ++b) out[a * rows + b] = out[b * rows + a];
}

}  // namespace hungjury
