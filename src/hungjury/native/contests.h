// Every row of a table against every other: who is larger, and how far apart they are.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels.h"

namespace hungjury {

// Columns in which the first row is larger, and columns in which they are equal.
struct Contest {
    double larger = 0, equal = 0;
};

HUNGJURY_WIDE inline Contest contest(const double *one, const double *other, size_t size) {
    long long larger = 0, equal = 0;
    for (size_t i = 0; i < size; ++i) {
        larger += one[i] > other[i];
        equal += one[i] == other[i];
    }
    return {static_cast<double>(larger), static_cast<double>(equal)};
}

// Raises each column's largest gap to that between two rows, in units of `unit`.
HUNGJURY_WIDE inline void raise_gaps(const double *one, const double *other, double unit,
                                     size_t size, double *largest) {
    for (size_t i = 0; i < size; ++i) {
        double gap = std::fabs(one[i] - other[i]) / unit;
        largest[i] = gap > largest[i] ? gap : largest[i];
    }
}

}  // namespace hungjury
