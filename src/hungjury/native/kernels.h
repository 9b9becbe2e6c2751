// Scores of many label vectors at once: the inner loops run over label vectors, side by side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

// What the documents of a topic are worth under the label vectors, once for what a document adds and
// once for what it counts for those below it, and what the vectors' pools add to the formula.
struct TopicValues {
    const Lanes *value;    // [document]
    const Lanes *counted;  // [document]
    const Lanes *levels;   // [level]
    size_t number;         // of levels
};

// A kernel scores one list. A document of value 0 changes nothing, and additions are made in the
// order of ranks: lists that look alike to a measure get exactly equal scores.
using Kernel = void (*)(WeightedList, const TopicValues &, Lanes &);

// sum of weight * value
HUNGJURY_WIDE inline void add_gains(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) sum.of[j] += weight * value.of[j];
    }
    out = sum;
}

// sum of weight * value * what was counted so far
HUNGJURY_WIDE inline void add_precisions(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, found = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        const Lanes &counted = topic.counted[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            found.of[j] += counted.of[j];
            sum.of[j] += weight * (value.of[j] * found.of[j]);
        }
    }
    out = sum;
}

// sum of weight * value * the chance that no document above satisfied, values being chances
HUNGJURY_WIDE inline void add_cascade(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, satisfied = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
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
HUNGJURY_WIDE inline void take_best(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes best = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            double here = weight * value.of[j];
            best.of[j] = here > best.of[j] ? here : best.of[j];
        }
    }
    out = best;
}

// sum of values at ranks (weights) down to the first level
HUNGJURY_WIDE inline void add_within(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, limit = topic.levels[0];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double rank = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j)
            sum.of[j] += rank <= limit.of[j] ? value.of[j] : 0.0;
    }
    out = sum;
}

// largest weight * what was counted so far, at documents of value from the first level on
HUNGJURY_WIDE inline void take_precision(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes best = {}, found = {}, needed = topic.levels[0];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            found.of[j] += value.of[j];
            double here = value.of[j] * found.of[j] * weight;
            here = found.of[j] >= needed.of[j] ? here : 0.0;
            best.of[j] = here > best.of[j] ? here : best.of[j];
        }
    }
    out = best;
}

// sum over values 1 of 1 - min(values -1 above, first level) / second level
HUNGJURY_WIDE inline void add_preferences(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, worse = {}, most = topic.levels[0], unit = topic.levels[1];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        for (size_t j = 0; j < kLanes; ++j) {
            double lost = worse.of[j] < most.of[j] ? worse.of[j] : most.of[j];
            sum.of[j] += value.of[j] > 0 ? 1 - lost / unit.of[j] : 0.0;
            worse.of[j] += value.of[j] < 0 ? 1.0 : 0.0;
        }
    }
    out = sum;
}

// sum over values 1 of weight * (1 + documents counted above * the smoothed share of values 1 among
// the values that are not 0 above), where the first level smooths
HUNGJURY_WIDE inline void add_inferred(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, relevant = {}, judged = {}, pooled = {}, smooth = topic.levels[0];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        const Lanes &counted = topic.counted[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            double rate = (relevant.of[j] + smooth.of[j]) / (judged.of[j] + 2 * smooth.of[j]);
            double here = weight + pooled.of[j] * weight * rate;
            sum.of[j] += value.of[j] > 0 ? here : 0.0;
            relevant.of[j] += value.of[j] > 0 ? 1.0 : 0.0;
            judged.of[j] += value.of[j] != 0 ? 1.0 : 0.0;
            pooled.of[j] += counted.of[j];
        }
    }
    out = sum;
}

// sum over documents counted of (counted so far + values so far) / (rank + best values down to it).
// Weights are ranks; levels are pairs of a number of documents and what each of them adds.
HUNGJURY_WIDE inline void add_blended(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, found = {}, best;
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        const Lanes &counted = topic.counted[list.document[i]];
        double rank = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) best.of[j] = rank;
        for (size_t k = 0; k + 1 < topic.number; k += 2) {
            const Lanes &limit = topic.levels[k], &step = topic.levels[k + 1];
            for (size_t j = 0; j < kLanes; ++j)
                best.of[j] += step.of[j] * (rank < limit.of[j] ? rank : limit.of[j]);
        }
        for (size_t j = 0; j < kLanes; ++j) {
            found.of[j] += counted.of[j] + value.of[j];
            sum.of[j] += counted.of[j] * (found.of[j] / best.of[j]);
        }
    }
    out = sum;
}

// mean precision at the documents of value 1, where a user is who moves from each to those just
// above and below it, as they pull: by the inverse of their distance, or of its logarithm
// (`logarithms`, by distance). Weights are ranks.
HUNGJURY_WIDE inline void average_walk(WeightedList list, const TopicValues &topic, Lanes &out,
                                       const double *logarithms) {
    Lanes sum = {}, pulls = {}, found = {}, last = {}, precision = {};
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double rank = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j) {
            double gap = rank - last.of[j];
            double pull = logarithms ? logarithms[static_cast<int32_t>(gap)] : 1 / (gap + 1);
            double moves = found.of[j] > 0 ? value.of[j] * pull : 0.0;
            found.of[j] += value.of[j];
            double here = found.of[j] / rank;
            sum.of[j] += moves * (here + precision.of[j]);
            pulls.of[j] += 2 * moves;
            last.of[j] = value.of[j] > 0 ? rank : last.of[j];
            precision.of[j] = value.of[j] > 0 ? here : precision.of[j];
        }
    }
    // Nothing pulls away from a single document: the user stays there.
    for (size_t j = 0; j < kLanes; ++j)
        out.of[j] = pulls.of[j] > 0 ? sum.of[j] / pulls.of[j] : precision.of[j];
}

inline void walk_by_distance(WeightedList list, const TopicValues &topic, Lanes &out) {
    average_walk(list, topic, out, nullptr);
}

inline void walk_by_logarithm(WeightedList list, const TopicValues &topic, Lanes &out) {
    thread_local std::vector<double> table;
    double farthest = 0;  // no gap is larger than a rank
    for (size_t i = 0; i < list.size; ++i) farthest = std::max(farthest, list.weight[i]);
    size_t longest = static_cast<size_t>(farthest);
    for (size_t gap = table.size(); gap <= longest; ++gap)
        table.push_back(1 / std::log10(static_cast<double>(gap) + 2));
    average_walk(list, topic, out, table.data());
}

struct NamedKernel {
    const char *name;
    Kernel score;
    size_t levels;  // that it needs at least
};

inline const NamedKernel &kernel(const std::string &name) {
    static const NamedKernel all[] = {
        {"gains", add_gains, 0},         {"precisions", add_precisions, 0},
        {"cascade", add_cascade, 0},     {"best", take_best, 0},
        {"within", add_within, 1},       {"reached", take_precision, 1},
        {"preferences", add_preferences, 2}, {"inferred", add_inferred, 1},
        {"blended", add_blended, 0},     {"LO_OR_ID", walk_by_distance, 0},
        {"LO_OR_LID", walk_by_logarithm, 0},
    };
    for (const auto &one : all)
        if (name == one.name) return one;
    throw std::invalid_argument("no kernel is called " + name);
}

// What a document of each grade is worth, and last what one is that was pooled and not judged: its
// grade is negative, but not the lowest number, which documents outside the pool have.
struct Worth {
    const double *of_grades;
    size_t grades;

    template <class Label> double of(Label label) const {
        if (label < 0) return label == std::numeric_limits<Label>::min() ? 0.0 : of_grades[grades];
        if (static_cast<size_t>(label) >= grades)
            throw std::out_of_range("a label is above the largest grade");
        return of_grades[static_cast<size_t>(label)];
    }
};

// Label vectors [vector, document] over all topics.
template <class Label> struct LabelVectors {
    const Label *labels;
    size_t vectors, documents;

    // The values of the documents from `first` on under `count` vectors from `begin` on.
    void fill(size_t begin, size_t count, size_t first, const Worth &worth,
              std::vector<Lanes> &values) const {
        for (size_t j = 0; j < count; ++j) {
            const Label *mine = labels + (begin + j) * documents + first;
            for (size_t d = 0; d < values.size(); ++d) values[d].of[j] = worth.of(mine[d]);
        }
    }
};

// Scores [list, vector] of the lists of one topic, whose documents are those from `first` on.
// `levels`: [level, vector]; `counted`: of no grades where documents count by their worth.
template <class Label>
void score_topic(Kernel score, const LabelVectors<Label> &given, Worth worth, Worth counted,
                 const double *levels, size_t number, size_t first, size_t documents,
                 const std::vector<WeightedList> &lists, double *out) {
    bool apart = counted.grades > 0;
    std::vector<Lanes> values(documents, Lanes{}), counts(apart ? documents : 0, Lanes{});
    std::vector<Lanes> limits(number);
    for (auto &limit : limits) std::fill(limit.of, limit.of + kLanes, 1.0);
    TopicValues topic{values.data(), apart ? counts.data() : values.data(), limits.data(), number};
    Lanes scores;
    for (size_t begin = 0; begin < given.vectors; begin += kLanes) {
        size_t count = std::min(kLanes, given.vectors - begin);
        given.fill(begin, count, first, worth, values);
        if (apart) given.fill(begin, count, first, counted, counts);
        for (size_t k = 0; k < number; ++k)
            std::copy_n(levels + k * given.vectors + begin, count, limits[k].of);
        for (size_t i = 0; i < lists.size(); ++i) {
            score(lists[i], topic, scores);
            std::copy(scores.of, scores.of + count, out + i * given.vectors + begin);
        }
    }
}

}  // namespace hungjury
