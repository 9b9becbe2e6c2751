// What a ranker learns from: for every document of a query, how much its score should rise, and the
// value of the ranking as it stands. Queries do not know of each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

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

class RankedQuery {
  public:
    // First and second derivatives, with respect to every score, of
    //   sum over pairs with gain_i > gain_j of |Delta_ij| log(1 + exp(s_j - s_i)),
    // Delta_ij being what the measure changes by when i and j change places; it is held fixed.
    void lambdas(const ScoredQuery &q, float *gradient, float *hessian) {
        order(q);
        slope_.assign(q.size, 0.0);
        curve_.assign(q.size, 0.0);
        if (q.over_ideal > 0)
            for (size_t i = 0; i < std::min(q.size, q.ranks); ++i) pairs_with(q, i);
        for (size_t i = 0; i < q.size; ++i) {
            gradient[places_[i].document] = static_cast<float>(slope_[i]);
            hessian[places_[i].document] = static_cast<float>(curve_[i]);
        }
    }

    // The measure's value, as the mean over all orders of documents with equal scores.
    double value(const ScoredQuery &q) {
        order(q);
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

    // Best score first; documents with equal scores in the order of the data, as LightGBM does.
    void order(const ScoredQuery &q) {
        places_.resize(q.size);
        for (size_t d = 0; d < q.size; ++d) places_[d] = {q.scores[d], q.gains[d], d};
        std::sort(places_.begin(), places_.end(), [](const Place &a, const Place &b) {
            return a.score > b.score || (a.score == b.score && a.document < b.document);
        });
    }

    // Pairs of the document at place i, which users see, with all documents below it.
    void pairs_with(const ScoredQuery &q, size_t i) {
        const Place upper = places_[i];
        const double mine = q.discounts[i];
        double slope = 0, curve = 0;
        for (size_t j = i + 1; j < q.size; ++j) {
            const double gap = upper.gain - places_[j].gain;
            const double change = std::fabs(gap * (mine - q.discount(j))) * q.over_ideal;
            if (change == 0) continue;
            const double sign = gap > 0 ? 1.0 : -1.0;
            // The chance, as the scores see it, that the pair stands the wrong way round.
            const double wrong = 1.0 / (1.0 + std::exp(sign * (upper.score - places_[j].score)));
            const double push = sign * change * wrong;
            const double bend = change * wrong * (1.0 - wrong);
            slope -= push;
            curve += bend;
            slope_[j] += push;
            curve_[j] += bend;
        }
        slope_[i] += slope;
        curve_[i] += curve;
    }

    std::vector<Place> places_;
    std::vector<double> slope_, curve_;  // by place
};

}  // namespace hungjury
