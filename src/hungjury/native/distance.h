// Distances between the rows of two tables.
#pragma once

#include <cstddef>

#include "kernels.h"

namespace hungjury {

// The sum of squared differences of two rows. Eight sums side by side, added up at the end: the
// result does not depend on how wide the processor's registers are.
HUNGJURY_WIDE inline double squared_distance(const double *one, const double *other, size_t size) {
    double sums[8] = {};
    size_t i = 0;
    for (; i + 8 <= size; i += 8)
        for (size_t k = 0; k < 8; ++k) {
            double difference = one[i + k] - other[i + k];
            sums[k] += difference * difference;
        }
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < size; ++i) sum += (one[i] - other[i]) * (one[i] - other[i]);
    return sum;
}

}  // namespace hungjury
