// Mean and variance of average precision's sum when every document is relevant by chance.
#pragma once

#include <cstdint>
#include <vector>

namespace hungjury {

// One list: documents at `ranks` are relevant with probability `p`, all others down to `length`
// with probability `unjudged`; independent. The sum is  sum_n x_n (1/n) sum_{m<=n} x_m.
class PrecisionSum {
  public:
    void add(const int32_t *ranks, const double *p, size_t places, int64_t length, double unjudged) {
        auto n = static_cast<size_t>(length > 0 ? length : 0);
        p_.assign(n, unjudged);
        for (size_t j = 0; j < places; ++j)
            if (static_cast<size_t>(ranks[j]) <= n) p_[static_cast<size_t>(ranks[j]) - 1] = p[j];
        while (inverse_.size() < n) inverse_.push_back(1.0 / static_cast<double>(inverse_.size() + 1));
        slope_.resize(n);
        double above = 0, spread = 0;  // sums of p and of p(1-p) over the ranks above
        mean = variance = 0;
        for (size_t i = 0; i < n; ++i) {
            double v = p_[i] * (1 - p_[i]);
            slope_[i] = inverse_[i] * (1 + above);
            mean += p_[i] * slope_[i];
            variance += inverse_[i] * inverse_[i] * v * spread;
            above += p_[i];
            spread += v;
        }
        double below = 0;  // sum of p/rank over the ranks below
        for (size_t i = n; i-- > 0;) {
            double c = slope_[i] + below;
            variance += p_[i] * (1 - p_[i]) * c * c;
            below += p_[i] * inverse_[i];
        }
    }
    double mean = 0, variance = 0;

  private:
    std::vector<double> p_, inverse_, slope_;
};

}  // namespace hungjury
