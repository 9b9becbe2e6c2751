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

constexpr size_t ROWS_AT_ONCE = 64;  // of the products, 512 kB for 1000 systems and one weight

// out[a, b, w]: value[a, c] * value[b, c] * weight[c, w] summed over columns c, for a from `first` to
// `last` and b from a on; `out` starts as zeros. A few rows of it are finished before the next ones
// begin and stay in the cache; columns are read in order, once for these rows.
template <size_t weights>
void row_products(const int32_t *row, const int32_t *column, const double *value,
                  const double *weight, size_t entries, size_t rows, size_t columns, size_t first,
                  size_t last, double *out) {
    ByKey by_row(row, entries, rows), by_column(column, by_row.entry, columns);
    std::vector<int32_t> holder;  // ascending within a column
    std::vector<double> values;
    std::vector<uint32_t> begin, end;  // the entries of a column in rows that are still to come
    std::vector<size_t> at;
    for (size_t c = 0; c < columns; ++c) {
        begin.push_back(static_cast<uint32_t>(holder.size()));
        for (size_t e = by_column.begin[c]; e < by_column.begin[c + 1]; ++e) {
            uint32_t entry = by_column.entry[e];
            if (static_cast<size_t>(row[entry]) < first) continue;
            holder.push_back(row[entry]);
            values.push_back(value[entry]);
        }
        if (begin.back() == holder.size()) {
            begin.pop_back();
        } else {
            end.push_back(static_cast<uint32_t>(holder.size()));
            at.push_back(c);
        }
    }
    for (size_t upto = first; upto < last;) {
        upto = std::min(upto + ROWS_AT_ONCE / weights, last);
        for (size_t c = 0; c < begin.size(); ++c) {
            size_t i = begin[c], own = i;  // the first entry of the same row
            for (; i < end[c] && static_cast<size_t>(holder[i]) < upto; ++i) {
                if (holder[i] != holder[own]) own = i;
                double one[weights];
                for (size_t w = 0; w < weights; ++w) one[w] = values[i] * weight[at[c] * weights + w];
                double *here = out + (static_cast<size_t>(holder[i]) - first) * rows * weights;
                for (size_t k = own; k < end[c]; ++k) {
                    double *cell = here + static_cast<size_t>(holder[k]) * weights;
                    for (size_t w = 0; w < weights; ++w) cell[w] += one[w] * values[k];
                }
            }
            begin[c] = static_cast<uint32_t>(i);
        }
    }
}

}  // namespace hungjury
