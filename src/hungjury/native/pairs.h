// Sums over pairs of items, the core of Kendall's tau and tau_ap, on sets of items kept as bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bits.h"
#include "kernels.h"

namespace hungjury {

// [item]: how many values are larger. For few items comparing all is quicker than sorting.
HUNGJURY_WIDE inline void count_larger(const double *values, size_t items, int64_t *larger) {
    for (size_t i = 0; i < items; ++i) {
        int64_t n = 0;
        for (size_t j = 0; j < items; ++j) n += values[j] > values[i];
        larger[i] = n;
    }
}

// For every item of a vector [item, word]: the set of items above it (with a larger value), and of
// those below.
struct Sets {
    uint64_t *above, *below;
};

// Makes the sets of one vector after another.
class Order {
  public:
    explicit Order(size_t items)
        : items(items), words((items + 63) / 64), higher(items), order_(items), seen_(words),
          tied_(items * words), over_(items * words) {}

    void set(const double *values, Sets out) {
        count_higher(values);
        // Items with as many others above them are tied.
        std::fill(tied_.begin(), tied_.end(), uint64_t{0});
        for (size_t i = 0; i < items; ++i) tied_[row(i) + i / 64] |= uint64_t{1} << (i % 64);
        std::fill(seen_.begin(), seen_.end(), uint64_t{0});
        for (size_t n = 0; n < items; ++n)
            for (size_t w = 0; w < words; ++w) {
                over_[n * words + w] = seen_[w];
                seen_[w] |= tied_[n * words + w];
            }
        for (size_t i = 0; i < items; ++i)
            for (size_t w = 0; w < words; ++w) {
                size_t from = row(i) + w, to = i * words + w;
                out.above[to] = over_[from];
                out.below[to] = ~(over_[from] | tied_[from]) & seen_[w];
            }
    }

    // Counts the items above each, and returns the number of pairs that differ.
    int64_t count_higher(const double *values) {
        if (items <= kFew) {
            count_larger(values, items, higher.data());
        } else {
            size_t known = 0;  // nothing is above NaN, which must not be sorted
            for (size_t i = 0; i < items; ++i) {
                if (std::isnan(values[i])) higher[i] = 0;
                else order_[known++] = i;
            }
            std::sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(known),
                      [&](size_t a, size_t b) { return values[a] > values[b]; });
            for (size_t n = 0, first = 0; n < known; ++n) {
                if (values[order_[n]] != values[order_[first]]) first = n;
                higher[order_[n]] = static_cast<int64_t>(first);
            }
        }
        return std::accumulate(higher.begin(), higher.end(), int64_t{0});
    }

    // How many items are tied with an item, itself included.
    size_t tied_count(size_t item) const {
        int64_t n = 0;
        for (size_t w = 0; w < words; ++w) n += count_bits(tied_[row(item) + w]);
        return static_cast<size_t>(n);
    }

    size_t items, words;
    std::vector<int64_t> higher;  // [item]: items above it

  private:
    static constexpr size_t kFew = 128;
    size_t row(size_t item) const { return static_cast<size_t>(higher[item]) * words; }
    std::vector<size_t> order_;
    std::vector<uint64_t> seen_, tied_, over_;  // by the number of items above
};

// sum over items i, over the j above i in one, of the sign of j - i in the other.
HUNGJURY_POPCNT inline double agreement(Sets one, Sets other, size_t items, size_t words) {
    int64_t sum = 0;
    for (size_t w = 0; w < items * words; ++w)
        sum += count_bits(one.above[w] & other.above[w]) - count_bits(one.above[w] & other.below[w]);
    return static_cast<double>(sum);
}

// The same with weights of the items i. Up to 64 items, the usual number of systems, are one word
// each: a loop without a loop inside.
HUNGJURY_POPCNT inline double weighted_agreement(Sets one, Sets other, size_t items, size_t words,
                                                 const double *weight) {
    auto balance = [&](size_t w) {
        return count_bits(one.above[w] & other.above[w]) - count_bits(one.above[w] & other.below[w]);
    };
    double sums[4] = {};  // side by side: none waits for another
    if (words == 1) {
        for (size_t i = 0; i < items; ++i) sums[i % 4] += weight[i] * static_cast<double>(balance(i));
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    for (size_t i = 0; i < items; ++i) {
        int64_t sum = 0;
        for (size_t w = i * words; w < (i + 1) * words; ++w) sum += balance(w);
        sums[0] += weight[i] * static_cast<double>(sum);
    }
    return sums[0];
}

// The mean of 1/(rank - 1) of every item over all orders inside ties; with nothing above it an item
// has no pair to weigh.
class InverseRanks {
  public:
    explicit InverseRanks(size_t items) : harmonic_(items + 1, 0.0), weights_(items) {
        for (size_t n = 1; n <= items; ++n)
            harmonic_[n] = harmonic_[n - 1] + 1.0 / static_cast<double>(n);
    }

    const double *of(const Order &order) {
        for (size_t i = 0; i < order.items; ++i) {
            auto above = static_cast<size_t>(order.higher[i]);
            size_t tied = order.tied_count(i);
            weights_[i] = above ? (harmonic_[above + tied - 1] - harmonic_[above - 1]) /
                                      static_cast<double>(tied)
                                : 0.0;
        }
        return weights_.data();
    }

  private:
    std::vector<double> harmonic_, weights_;
};

// Sums [left, right] for every row of one table with every row of another; weights 1, or for tau_ap
// those of the left vector's ranks.
class PairSums {
  public:
    PairSums(size_t items, size_t rights, bool by_rank)
        : by_rank_(by_rank), order_(items), inverse_(items), cells_(items * order_.words),
          block_(std::clamp<size_t>(kKept / std::max<size_t>(1, cells_), 1, std::max<size_t>(1, rights))),
          sets_(2 * cells_ * (1 + block_)) {}

    void fill(const double *left, size_t lefts, const double *right, size_t rights, double *out) {
        size_t items = order_.items, words = order_.words;
        for (size_t begin = 0; begin < rights; begin += block_) {
            size_t count = std::min(block_, rights - begin);
            for (size_t r = 0; r < count; ++r) order_.set(right + (begin + r) * items, sets(1 + r));
            for (size_t l = 0; l < lefts; ++l) {
                order_.set(left + l * items, sets(0));
                const double *weight = by_rank_ ? inverse_.of(order_) : nullptr;
                double *sums = out + l * rights + begin;
                for (size_t r = 0; r < count; ++r)
                    sums[r] = weight ? weighted_agreement(sets(0), sets(1 + r), items, words, weight)
                                     : agreement(sets(0), sets(1 + r), items, words);
            }
        }
    }

  private:
    static constexpr size_t kKept = size_t{1} << 18;  // words of sets of rows kept at once
    Sets sets(size_t row) {
        uint64_t *first = sets_.data() + 2 * cells_ * row;
        return {first, first + cells_};
    }
    bool by_rank_;
    Order order_;
    InverseRanks inverse_;
    size_t cells_, block_;
    std::vector<uint64_t> sets_;
};

}  // namespace hungjury
