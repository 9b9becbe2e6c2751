// Sums over pairs of items, the core of Kendall's tau and tau_ap, on sets of items kept as bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

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

// For every item of a vector the set of items above it (with a larger value), and of those below.
class Order {
  public:
    explicit Order(size_t items)
        : items(items), words((items + 63) / 64), above(items * words), below(items * words),
          order_(items), seen_(words) {}

    void set(const double *values) {
        std::iota(order_.begin(), order_.end(), size_t{0});
        std::sort(order_.begin(), order_.end(),
                  [&](size_t a, size_t b) { return values[a] > values[b]; });
        std::fill(seen_.begin(), seen_.end(), uint64_t{0});
        for (size_t begin = 0, end; begin < items; begin = end) {
            for (end = begin; end < items && values[order_[end]] == values[order_[begin]]; ++end)
                std::copy(seen_.begin(), seen_.end(), above.begin() + row(order_[end]));
            for (size_t i = begin; i < end; ++i)
                seen_[order_[i] / 64] |= uint64_t{1} << (order_[i] % 64);
            for (size_t i = begin; i < end; ++i)
                for (size_t w = 0; w < words; ++w) below[row(order_[i]) + w] = ~seen_[w] & valid(w);
        }
    }
    // How many items are above an item, and how many are tied with it, itself included.
    size_t above_count(size_t item) const { return count(above, item); }
    size_t tied_count(size_t item) const {
        return items - count(above, item) - count(below, item);
    }

    size_t items, words;
    std::vector<uint64_t> above, below;  // [item, word]

  private:
    size_t row(size_t item) const { return item * words; }
    uint64_t valid(size_t word) const {
        size_t left = items - 64 * word;
        return left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
    }
    size_t count(const std::vector<uint64_t> &sets, size_t item) const {
        int64_t n = 0;
        for (size_t w = 0; w < words; ++w) n += count_bits(sets[row(item) + w]);
        return static_cast<size_t>(n);
    }
    std::vector<size_t> order_;
    std::vector<uint64_t> seen_;
};

// sum over items i of weight_i times, over the j above i in one, the sign of j - i in the other.
// Up to 64 items, the usual number of systems, are one word each: a loop without a loop inside.
HUNGJURY_POPCNT inline double agreement(const Order &one, const Order &other,
                                        const double *weight) {
    const uint64_t *mine = one.above.data(), *above = other.above.data(), *below = other.below.data();
    if (one.words == 1) {
        double sums[4] = {};  // side by side: none waits for another
        for (size_t i = 0; i < one.items; ++i)
            sums[i % 4] += weight[i] * static_cast<double>(count_bits(mine[i] & above[i]) -
                                                           count_bits(mine[i] & below[i]));
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    double sum = 0;
    for (size_t i = 0; i < one.items; ++i) {
        int64_t balance = 0;
        for (size_t w = i * one.words; w < (i + 1) * one.words; ++w)
            balance += count_bits(mine[w] & above[w]) - count_bits(mine[w] & below[w]);
        sum += weight[i] * static_cast<double>(balance);
    }
    return sum;
}

// The mean of 1/(rank - 1) of every item over all orders inside ties; with nothing above it an item
// has no pair to weigh.
inline std::vector<double> mean_inverse_ranks(const Order &order) {
    std::vector<double> harmonic(order.items + 1, 0.0), weights(order.items, 0.0);
    for (size_t n = 1; n <= order.items; ++n)
        harmonic[n] = harmonic[n - 1] + 1.0 / static_cast<double>(n);
    for (size_t i = 0; i < order.items; ++i) {
        size_t above = order.above_count(i), tied = order.tied_count(i);
        if (above)
            weights[i] = (harmonic[above + tied - 1] - harmonic[above - 1]) / static_cast<double>(tied);
    }
    return weights;
}

// [left, right] sums for every row of one table with every row of another; weights 1, or for tau_ap
// those of the left vector's ranks.
inline void pair_sums(const double *left, size_t lefts, const double *right, size_t rights,
                      size_t items, bool by_rank, double *out) {
    const size_t bytes = std::max<size_t>(1, 16 * items * ((items + 63) / 64));
    const size_t block = std::max<size_t>(1, (size_t{1} << 22) / bytes);  // sets kept at once
    Order one(items);
    for (size_t begin = 0; begin < rights; begin += block) {
        std::vector<Order> others(std::min(block, rights - begin), Order(items));
        for (size_t r = 0; r < others.size(); ++r) others[r].set(right + (begin + r) * items);
        for (size_t l = 0; l < lefts; ++l) {
            one.set(left + l * items);
            std::vector<double> weight =
                by_rank ? mean_inverse_ranks(one) : std::vector<double>(items, 1.0);
            for (size_t r = 0; r < others.size(); ++r)
                out[l * rights + begin + r] = agreement(one, others[r], weight.data());
        }
    }
}

}  // namespace hungjury
