// One walk through a ranked list: its sum, and what each of its documents would add to it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "kernels.h"

namespace hungjury {

// Returns the sum of a list for the worth of the documents. `slope` [place]: what one more worth of
// the document there adds to it.
using Walk = double (*)(WeightedList, const double *worth, double *slope);

// sum of weight * worth
inline double walk_gains(WeightedList list, const double *worth, double *slope) {
    double sum = 0;
    for (size_t i = 0; i < list.size; ++i) {
        sum += list.weight[i] * worth[list.document[i]];
        slope[i] = list.weight[i];
    }
    return sum;
}

// sum of weight * worth * (1 + the worth above)
inline double walk_precisions(WeightedList list, const double *worth, double *slope) {
    double sum = 0, above = 0, below = 0;
    for (size_t i = 0; i < list.size; ++i) {
        double here = worth[list.document[i]];
        slope[i] = list.weight[i] * (1 + above);
        sum += here * slope[i];
        above += here;
    }
    for (size_t i = list.size; i-- > 0;) {
        slope[i] += below;
        below += list.weight[i] * worth[list.document[i]];
    }
    return sum;
}

// sum of weight * worth * the product of 1 - worth above
inline double walk_cascade(WeightedList list, const double *worth, double *slope) {
    double sum = 0, reached = 1, below = 0;  // the sum of those below, of a user who gets there
    for (size_t i = 0; i < list.size; ++i) {
        double here = worth[list.document[i]];
        slope[i] = reached;
        sum += list.weight[i] * here * reached;
        reached *= 1 - here;
    }
    for (size_t i = list.size; i-- > 0;) {
        double here = worth[list.document[i]];
        slope[i] *= list.weight[i] - below;
        below = list.weight[i] * here + (1 - here) * below;
    }
    return sum;
}

inline Walk walk_by(const std::string &kernel) {
    if (kernel == "gains") return walk_gains;
    if (kernel == "precisions") return walk_precisions;
    if (kernel == "cascade") return walk_cascade;
    throw std::invalid_argument("no walk is called " + kernel);
}

}  // namespace hungjury
