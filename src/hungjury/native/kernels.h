// Scores of many label vectors at once: the inner loops run over label vectors, side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// One more copy of each kernel for processors with AVX2, chosen when the module is loaded. Without
// fused multiply-add every processor gives the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define HUNGJURY_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define HUNGJURY_WIDE
#endif

namespace hungjury {

constexpr size_t kLanes = 16;  // label vectors worked on at once: their sums stay in registers

// One number for each label vector.
struct alignas(64) Lanes {
    double of[kLanes];
};

// A ranked list, best first: its documents, counted within the topic, each with the weight of its
// rank. Documents that weigh nothing are left out.
struct WeightedList {
    const int32_t *document;
    const double *weight;
    size_t size;
};

// A kernel scores one list, given the values of the topic's documents. A document of value 0
// changes nothing, and additions are made in the order of ranks: lists that look alike to a
// measure get exactly equal scores.
using Kernel = void (*)(WeightedList, const Lanes *, Lanes &);

// sum of weight * value
HUNGJURY_WIDE inline void add_gains(WeightedList list, const Lanes *values, Lanes &out) {
    Lanes sum = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = values[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) sum.of[j] += weight * value.of[j];
    }
    out = sum;
}

// sum over relevant documents (value 1) of weight * relevant documents so far
HUNGJURY_WIDE inline void add_precisions(WeightedList list, const Lanes *values, Lanes &out) {
    Lanes sum = {}, found = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = values[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            found.of[j] += value.of[j];
            sum.of[j] += weight * (value.of[j] * found.of[j]);
        }
    }
    out = sum;
}

// sum of weight * value * the chance that no document above satisfied, values being chances
HUNGJURY_WIDE inline void add_cascade(WeightedList list, const Lanes *values, Lanes &out) {
    Lanes sum = {}, satisfied = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = values[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            double here = value.of[j] * (1 - satisfied.of[j]);
            sum.of[j] += weight * here;
            satisfied.of[j] += here;
        }
    }
    out = sum;
}

// largest weight * value
HUNGJURY_WIDE inline void take_best(WeightedList list, const Lanes *values, Lanes &out) {
    Lanes best = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = values[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            double here = weight * value.of[j];
            best.of[j] = here > best.of[j] ? here : best.of[j];
        }
    }
    out = best;
}

inline Kernel kernel(const std::string &name) {
    if (name == "gains") return add_gains;
    if (name == "precisions") return add_precisions;
    if (name == "cascade") return add_cascade;
    if (name == "best") return take_best;
    throw std::invalid_argument("no kernel is called " + name);
}

// Label vectors [vector, document] over all topics, and what a document of each grade is worth.
template <class Label> struct LabelVectors {
    const Label *labels;
    size_t vectors, documents;
    std::vector<double> worth;

    // The values of the documents from `first` on under `count` vectors from `begin` on.
    void fill(size_t begin, size_t count, size_t first, std::vector<Lanes> &values) const {
        for (size_t j = 0; j < count; ++j) {
            const Label *mine = labels + (begin + j) * documents + first;
            for (size_t d = 0; d < values.size(); ++d) values[d].of[j] = value(mine[d]);
        }
    }
    double value(Label label) const {
        if (label < 0) return 0.0;  // not judged
        if (static_cast<size_t>(label) >= worth.size())
            throw std::out_of_range("a label is above the largest grade");
        return worth[static_cast<size_t>(label)];
    }
};

// Scores [list, vector] of the lists of one topic, whose documents are those from `first` on.
template <class Label>
void score_topic(Kernel score, const LabelVectors<Label> &given, size_t first, size_t documents,
                 const std::vector<WeightedList> &lists, double *out) {
    std::vector<Lanes> values(documents, Lanes{});
    Lanes scores;
    for (size_t begin = 0; begin < given.vectors; begin += kLanes) {
        size_t count = std::min(kLanes, given.vectors - begin);
        given.fill(begin, count, first, values);
        for (size_t i = 0; i < lists.size(); ++i) {
            score(lists[i], values.data(), scores);
            std::copy(scores.of, scores.of + count, out + i * given.vectors + begin);
        }
    }
}

}  // namespace hungjury
