// Exact moments of measures when every document is relevant by chance, independently of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.h"

namespace hungjury {

// Documents one after the other, those of a list first: the distribution of R, the relevant ones so
// far, and the first two moments of a sum S on each value of R. A relevant document adds its weight
// to S, or (`precisions`) its weight times R, which is then the number of relevant ones down to it.
// The last value of R includes all larger ones.
class RelevanceSum {
  public:
    RelevanceSum(size_t values, bool precisions) : precisions_(precisions) {
        for (auto &one : now_) one.assign(values + 1, 0.0);
        next_ = now_;
        for (size_t r = 0; r <= values; ++r) count_.push_back(static_cast<double>(r));
    }
    void clear() {
        for (size_t k = 0; k < 3; ++k) {
            std::fill(now_[k].begin(), now_[k].end(), 0.0);
            std::fill(next_[k].begin(), next_[k].end(), 0.0);
        }
        now_[0][0] = 1;
        low_ = high_ = 0;
    }
    void add(double p, double weight) {
        if (p <= 0) return;
        size_t last = now_[0].size() - 2;  // one more entry is always 0
        if (high_ == last) {
            take_in(last, p, weight);
        } else {
            ++high_;
        }
        if (weight == 0) {
            for (size_t k = 0; k < 3; ++k) mix(now_[k].data(), next_[k].data(), low_, high_, p);
        } else {
            double slope = precisions_ ? weight : 0.0, flat = precisions_ ? 0.0 : weight;
            weigh(now_[0].data(), now_[1].data(), now_[2].data(), next_[0].data(), next_[1].data(),
                  next_[2].data(), low_, high_, p, flat, slope, count_.data());
        }
        if (full_) {
            for (size_t k = 0; k < 3; ++k) next_[k][last] += kept_[k];
            full_ = false;
        }
        std::swap(now_, next_);
        trim(last);
    }
    // The mean of S f(R) and of S^2 g(R).
    void finish(const double *f, const double *g, double &first, double &second) const {
        first = second = 0;
        for (size_t r = low_; r <= high_; ++r) {
            first += now_[1][r] * f[r];
            second += now_[2][r] * g[r];
        }
    }

  private:
    // What stays on the last value although one more document is relevant.
    void take_in(size_t last, double p, double weight) {
        double w = precisions_ ? weight * static_cast<double>(last + 1) : weight;
        double a = now_[0][last], b = now_[1][last], c = now_[2][last];
        kept_[0] = p * a;
        kept_[1] = p * (b + w * a);
        kept_[2] = p * (c + 2 * w * b + w * w * a);
        full_ = true;
    }
    // Without a weight the two moments follow R like its distribution does.
    HUNGJURY_WIDE static void mix(const double *from, double *to, size_t low, size_t high, double p) {
        double q = 1 - p;
        to[low] = q * from[low];
        for (size_t r = low + 1; r <= high; ++r) to[r] = q * from[r] + p * from[r - 1];
    }
    HUNGJURY_WIDE static void weigh(const double *a, const double *b, const double *c, double *d,
                                    double *e, double *f, size_t low, size_t high, double p,
                                    double flat, double slope, const double *count) {
        double q = 1 - p;
        d[low] = q * a[low];
        e[low] = q * b[low];
        f[low] = q * c[low];
        for (size_t r = low + 1; r <= high; ++r) {
            double w = flat + slope * count[r];
            d[r] = q * a[r] + p * a[r - 1];
            e[r] = q * b[r] + p * (b[r - 1] + w * a[r - 1]);
            f[r] = q * c[r] + p * (c[r - 1] + 2 * w * b[r - 1] + w * w * a[r - 1]);
        }
    }
    // Leaves out values of R that hardly occur. Sums stay below R times the largest weight.
    void trim(size_t last) {
        auto rare = [&](size_t r) { return now_[0][r] < 1e-22; };
        while (low_ < high_ && rare(low_)) forget(low_++);
        while (high_ > low_ && high_ != last && rare(high_)) forget(high_--);
    }
    void forget(size_t r) {
        for (size_t k = 0; k < 3; ++k) now_[k][r] = next_[k][r] = 0;
    }

    bool precisions_, full_ = false;
    double kept_[3] = {};
    size_t low_ = 0, high_ = 0;
    std::array<std::vector<double>, 3> now_, next_;
    std::vector<double> count_;
};

// The states of the best list of `cutoff` ranks: how many documents it has of each grade or better.
// From a state, a document of grade l leads to `after(state, l)`.
class IdealStates {
  public:
    IdealStates(size_t grades, size_t cutoff) : grades_(grades) {
        std::vector<size_t> counts(grades, 0);  // counts[g - 1]: of grade g or better
        list(counts, grades, cutoff);
        after_.resize(size() * (grades + 1));
        for (size_t s = 0; s < size(); ++s)
            for (size_t l = 0; l <= grades; ++l) {
                std::vector<size_t> next = states_[s];
                for (size_t g = 0; g < l; ++g) next[g] = std::min(next[g] + 1, cutoff);
                auto at = std::lower_bound(states_.begin(), states_.end(), next);
                after_[s * (grades + 1) + l] = static_cast<size_t>(at - states_.begin());
            }
    }
    size_t size() const { return states_.size(); }
    size_t after(size_t state, size_t grade) const { return after_[state * (grades_ + 1) + grade]; }

    // One over the gain of the best list in every state, 0 where it has none. Grades are sorted by
    // gain; `upto` are sums of discounts over the first ranks.
    std::vector<double> shares(const double *gains, const double *upto) const {
        std::vector<double> out;
        for (const auto &counts : states_) {
            double sum = 0;
            size_t above = 0;
            for (size_t g = grades_; g-- > 0;) {
                sum += gains[g + 1] * (upto[counts[g]] - upto[above]);
                above = counts[g];
            }
            out.push_back(sum > 0 ? 1 / sum : 0.0);
        }
        return out;
    }

  private:
    void list(std::vector<size_t> &counts, size_t left, size_t most) {
        if (!left) {
            states_.push_back(counts);
            return;
        }
        for (size_t n = 0; n <= most; ++n) {
            counts[grades_ - left] = n;
            list(counts, left - 1, n);
        }
    }
    size_t grades_;
    std::vector<std::vector<size_t>> states_;  // sorted
    std::vector<size_t> after_;
};

// For each of `documents` with the chances [document, grade]: the mean of its gain over that of the
// best list. Forward: the distribution of states without the documents that follow. Backward: the
// mean of the share, given the state so far.
inline void shares_of_ideal(const IdealStates &ideal, const std::vector<double> &share,
                            const double *chances, const double *gains, size_t documents,
                            size_t grades, double *out) {
    size_t states = ideal.size();
    std::vector<double> later((documents + 1) * states), before(states, 0.0), next(states);
    std::copy(share.begin(), share.end(), later.begin() + static_cast<ptrdiff_t>(documents * states));
    for (size_t i = documents; i-- > 0;)
        for (size_t s = 0; s < states; ++s) {
            double sum = 0;
            for (size_t l = 0; l <= grades; ++l)
                sum += chances[i * (grades + 1) + l] * later[(i + 1) * states + ideal.after(s, l)];
            later[i * states + s] = sum;
        }
    before[0] = 1;
    for (size_t i = 0; i < documents; ++i) {
        double mean = 0;
        std::fill(next.begin(), next.end(), 0.0);
        for (size_t s = 0; s < states; ++s) {
            if (before[s] == 0) continue;
            for (size_t l = 0; l <= grades; ++l) {
                size_t to = ideal.after(s, l);
                double chance = before[s] * chances[i * (grades + 1) + l];
                next[to] += chance;
                mean += chance * gains[l] * later[(i + 1) * states + to];
            }
        }
        out[i] = mean;
        before.swap(next);
    }
}

}  // namespace hungjury
