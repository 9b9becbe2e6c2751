// What a ranker learns from: for every document of a query, how much its score should rise, and the
// value of the current ranking. Queries are independent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.h"

namespace hungjury {

// Documents of one query: scores now, gains, and the weight that users give to the first `ranks`
// ranks (all ranks below weigh 0); `over_ideal` is 1 over the weighted gains of the best order, or
// 0 where nothing can be gained.
struct ScoredQuery {
    const double *scores, *gains;
    size_t size;
    const double *discounts;
    size_t ranks;
    double over_ideal;

    double discount(size_t rank) const { return rank < ranks ? discounts[rank] : 0.0; }
};

// How hard each lower document pushes against an upper one (downwards where the upper one gains
// more), and how the push changes with the scores; times the ideal.
HUNGJURY_WIDE inline void add_pairs(size_t count, double gain, double weight, double power,
                                    const double *gains, const double *weights,
                                    const double *powers, double *push, double *bend) {
    for (size_t j = 0; j < count; ++j) {
        const double gap = gain - gains[j];
        const double change = gap * std::fabs(weight - weights[j]);
        // The chance, as the scores see it, that the pair is in the wrong order.
        const double lower = gap > 0 ? powers[j] : power;
        const double wrong = lower / (power + powers[j]);
        push[j] = change * wrong;
        bend[j] = std::fabs(change) * wrong * (1.0 - wrong);
    }
}

class RankedQuery {
  public:
    // First and second derivatives, with respect to every score, of
    //   sum over pairs with gain_i > gain_j of |Delta_ij| log(1 + exp(s_j - s_i)),
    // Delta_ij being what the measure changes by when i and j change places; it is held fixed.
    void lambdas(const ScoredQuery &q, float *gradient, float *hessian) {
        const size_t seen = std::min(q.size, q.ranks);
        order(q, seen);  // below the last rank that users see, no order matters
        lay_out(q);
        if (q.over_ideal > 0)
            for (size_t i = 0; i < seen; ++i) {
                pairs_with(i);
                double slope = 0, curve = 0;
                for (size_t j = i + 1; j < q.size; ++j) {
                    slope += push_[j];
                    curve += bend_[j];
                }
                slope_[i] -= slope;
                curve_[i] += curve;
            }
        for (size_t i = 0; i < q.size; ++i) {
            gradient[places_[i].document] = static_cast<float>(slope_[i] * q.over_ideal);
            hessian[places_[i].document] = static_cast<float>(curve_[i] * q.over_ideal);
        }
    }

    // The measure's value, as the mean over all orders of documents with equal scores.
    double value(const ScoredQuery &q) {
        order(q, q.size);
        double sum = 0;
        for (size_t begin = 0, end; begin < std::min(q.size, q.ranks); begin = end) {
            double gains = 0, weight = 0;
            for (end = begin; end < q.size && places_[end].score == places_[begin].score; ++end) {
                gains += places_[end].gain;
                weight += q.discount(end);
            }
            sum += gains * weight / static_cast<double>(end - begin);
        }
        return sum * q.over_ideal;
    }

  private:
    struct Place {
        double score, gain;
        size_t document;
    };

    // The first places, best score first; equal scores in the order of the data, as in LightGBM.
    void order(const ScoredQuery &q, size_t first) {
        places_.resize(q.size);
        for (size_t d = 0; d < q.size; ++d) places_[d] = {q.scores[d], q.gains[d], d};
        std::partial_sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first),
                          places_.end(), [](const Place &a, const Place &b) {
                              return a.score > b.score ||
                                     (a.score == b.score && a.document < b.document);
                          });
    }

    // Places as columns. exp(s_i - s_j) is a quotient of two powers: one exponential a document, not
    // one a pair. Scores 700 below the best are taken as 700 below it: no power is 0.
    void lay_out(const ScoredQuery &q) {
        for (auto *column : {&gain_, &weight_, &power_, &push_, &bend_}) column->resize(q.size);
        slope_.assign(q.size, 0.0);
        curve_.assign(q.size, 0.0);
        for (size_t i = 0; i < q.size; ++i) {
            gain_[i] = places_[i].gain;
            weight_[i] = q.discount(i);
            power_[i] = std::exp(std::max(places_[i].score - places_[0].score, -700.0));
        }
    }

    // Pairs of the document at place i with all documents below it, side by side.
    void pairs_with(size_t i) {
        add_pairs(places_.size() - i - 1, gain_[i], weight_[i], power_[i], gain_.data() + i + 1,
                  weight_.data() + i + 1, power_.data() + i + 1, push_.data() + i + 1,
                  bend_.data() + i + 1);
        for (size_t j = i + 1; j < places_.size(); ++j) {
            slope_[j] += push_[j];
            curve_[j] += bend_[j];
        }
    }

    std::vector<Place> places_;
    std::vector<double> gain_, weight_, power_, push_, bend_, slope_, curve_;  // by place
};

}  // namespace hungjury
