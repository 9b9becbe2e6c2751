// Gaussian kernel densities on a grid over [0, 1].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels.h"

namespace hungjury {

constexpr size_t kPointsAtOnce = 8;

// sums[i] += fixed[i] * start * ratio^i, with room for the powers of a multiple of 8 points
HUNGJURY_WIDE inline void add_powers(const double *fixed, double start, double ratio, size_t points,
                                     double *power, double *sums) {
    double square = ratio * ratio, fourth = square * square, eighth = fourth * fourth;
    power[0] = start;
    power[1] = start * ratio;
    for (size_t i = 2; i < 4; ++i) power[i] = power[i - 2] * square;
    for (size_t i = 4; i < 8; ++i) power[i] = power[i - 4] * fourth;
    for (size_t i = 8; i < points; ++i) power[i] = power[i - 8] * eighth;
    for (size_t i = 0; i < points; ++i) sums[i] += fixed[i] * power[i];
}

// Sums exp(-(value - point)^2 / (2 bandwidth^2)) over values, for every point i / (points - 1).
//
// Around the point next to a value, at a distance, the number k points further is
// exp(-s distance^2) * exp(2 s distance step)^k * exp(-s step^2 k^2): what depends on the value are
// powers of one number, and the rest is the same for all. So a value costs two exponentials, and
// what lies so far from it that it adds less than e^-kFar is left out.
class KernelGrid {
  public:
    KernelGrid(size_t points, double bandwidth)
        : points_(points), step_(1.0 / static_cast<double>(points - 1)),
          scale_(1.0 / (2 * bandwidth * bandwidth)),
          reach_(static_cast<size_t>(std::min(static_cast<double>(points - 1),
                                              std::sqrt(kFar / scale_) / step_)) + 1),
          coarse_(scale_ * step_ * step_ * static_cast<double>(reach_) > kFar),
          fixed_((2 * reach_ + kPointsAtOnce) / kPointsAtOnce * kPointsAtOnce),
          power_(fixed_.size()), padded_(points + reach_ + fixed_.size()) {
        for (size_t i = 0; i < fixed_.size(); ++i) {
            double distance = (static_cast<double>(i) - static_cast<double>(reach_)) * step_;
            fixed_[i] = std::exp(-scale_ * distance * distance);
        }
    }

    // Can this value be added? It may lie half a step outside [0, 1].
    bool takes(double value) const { return value > -step_ / 2 && value < 1 + step_ / 2; }

    void add(double value) {
        auto nearest = static_cast<size_t>(std::max(0.0, value) * static_cast<double>(points_ - 1) + 0.5);
        double distance = value - static_cast<double>(nearest) * step_;
        if (coarse_) return add_each(nearest, distance);
        double back = static_cast<double>(reach_) * step_;
        add_powers(fixed_.data(), std::exp(-scale_ * distance * (distance + 2 * back)),
                   std::exp(2 * scale_ * distance * step_), fixed_.size(), power_.data(), padded_.data() + nearest);
    }

    // Moves the sums to `out` and resets them.
    void take(double *out) {
        std::copy_n(padded_.begin() + static_cast<std::ptrdiff_t>(reach_), points_, out);
        std::fill(padded_.begin(), padded_.end(), 0.0);
    }

  private:
    // Where steps are so wide that powers would leave the range of numbers.
    void add_each(size_t nearest, double distance) {
        for (size_t i = 0; i <= 2 * reach_; ++i) {
            double away = distance - (static_cast<double>(i) - static_cast<double>(reach_)) * step_;
            padded_[nearest + i] += std::exp(-scale_ * away * away);
        }
    }

    static constexpr double kFar = 60;
    size_t points_;
    double step_, scale_;
    size_t reach_;  // points to either side
    bool coarse_;
    std::vector<double> fixed_, power_, padded_;  // sums have room for what is out of reach of the grid
};

}  // namespace hungjury
