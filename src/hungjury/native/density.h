// Gaussian kernel densities on a grid over [0, 1].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hungjury {

// Adds exp(-(value - point)^2 / (2 bandwidth^2)) of every value to every point i / (points - 1).
//
// Along a grid these numbers follow from each other by multiplication: the ratio of two neighbours
// itself falls by a constant factor. So a value costs three exponentials, and what lies so far from
// it that it adds less than e^-kFar is left out.
class KernelGrid {
  public:
    KernelGrid(size_t points, double bandwidth)
        : points_(points), step_(1.0 / static_cast<double>(points - 1)),
          scale_(1.0 / (2 * bandwidth * bandwidth)), fall_(std::exp(-2 * scale_ * step_ * step_)),
          reach_(static_cast<ptrdiff_t>(std::sqrt(kFar / scale_) / step_) + 1) {}

    void add(double value, double *sums) const {
        const auto last = static_cast<ptrdiff_t>(points_) - 1;
        const auto nearest = static_cast<ptrdiff_t>(std::lround(value / step_));
        const ptrdiff_t begin = std::clamp<ptrdiff_t>(nearest, 0, last);
        const double distance = value - static_cast<double>(begin) * step_;
        const double here = std::exp(-scale_ * distance * distance);
        sums[begin] += here;
        double term = here, ratio = std::exp(-scale_ * step_ * (step_ - 2 * distance));
        for (ptrdiff_t i = begin + 1; i <= std::min(last, nearest + reach_); ++i) {
            term *= ratio;
            ratio *= fall_;
            sums[i] += term;
        }
        term = here, ratio = std::exp(-scale_ * step_ * (step_ + 2 * distance));
        for (ptrdiff_t i = begin - 1; i >= std::max<ptrdiff_t>(0, nearest - reach_); --i) {
            term *= ratio;
            ratio *= fall_;
            sums[i] += term;
        }
    }

  private:
    static constexpr double kFar = 60;
    size_t points_;
    double step_, scale_, fall_;
    ptrdiff_t reach_;
};

}  // namespace hungjury
