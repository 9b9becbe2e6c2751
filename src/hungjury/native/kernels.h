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

// What one instruction works on, written like one number: four numbers where the compiler has such
// types. Comparisons choose among them without branches.
#if defined(__GNUC__)
typedef double Number __attribute__((vector_size(4 * sizeof(double))));
#else
using Number = double;
#endif

constexpr size_t kLanes = 16;  // label vectors worked on at once: their sums stay in registers
constexpr size_t kSteps = kLanes * sizeof(double) / sizeof(Number);

// One number for each label vector.
struct alignas(64) Lanes {
    Number of[kSteps];

    double *each() { return reinterpret_cast<double *>(of); }  // [vector]
    const double *each() const { return reinterpret_cast<const double *>(of); }
};

inline void take_smaller(Number &a, const Number &b) { a = a < b ? a : b; }
inline void take_larger(Number &a, const Number &b) { a = a > b ? a : b; }

// A ranked list, best first: its documents, counted within the topic, each with the weight of its
// rank. Documents that weigh nothing are left out.
struct WeightedList {
    const int32_t *document;
    const double *weight;
    size_t size;
    const double *prepared = nullptr;  // [place]: what a kernel has computed of the list alone
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
        for (size_t j = 0; j < kSteps; ++j) sum.of[j] += weight * value.of[j];
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
        for (size_t j = 0; j < kSteps; ++j) {
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
        for (size_t j = 0; j < kSteps; ++j) {
            Number here = value.of[j] * (1 - satisfied.of[j]);
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
        for (size_t j = 0; j < kSteps; ++j) {
            Number here = weight * value.of[j];
            take_larger(best.of[j], here);
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
        for (size_t j = 0; j < kSteps; ++j)
            sum.of[j] += rank <= limit.of[j] ? value.of[j] : Number{};
    }
    out = sum;
}

// largest weight * what was counted so far, at documents of value from the first level on
HUNGJURY_WIDE inline void take_precision(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes best = {}, found = {}, needed = topic.levels[0];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kSteps; ++j) {
            found.of[j] += value.of[j];
            Number here = value.of[j] * found.of[j] * weight;
            here = found.of[j] >= needed.of[j] ? here : Number{};
            take_larger(best.of[j], here);
        }
    }
    out = best;
}

// sum over values 1 of 1 - min(values -1 above, first level) / second level
HUNGJURY_WIDE inline void add_preferences(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, worse = {}, most = topic.levels[0], unit = topic.levels[1];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        for (size_t j = 0; j < kSteps; ++j) {
            Number lost = worse.of[j], good = value.of[j];
            take_smaller(lost, most.of[j]);
            take_larger(good, Number{});
            sum.of[j] += good * (1 - lost / unit.of[j]);
            worse.of[j] += good - value.of[j];
        }
    }
    out = sum;
}

// sum over values 1 of weight * (1 + documents counted above * the smoothed share of values 1 among
// the values that are not 0 above), where the first level, above 0, smooths
HUNGJURY_WIDE inline void add_inferred(WeightedList list, const TopicValues &topic, Lanes &out) {
    Lanes sum = {}, relevant = {}, judged = {}, pooled = {}, smooth = topic.levels[0];
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        const Lanes &counted = topic.counted[list.document[i]];
        double weight = list.weight[i];
        for (size_t j = 0; j < kSteps; ++j) {
            Number rate = (relevant.of[j] + smooth.of[j]) / (judged.of[j] + 2 * smooth.of[j]);
            Number good = value.of[j], sure = -value.of[j];
            take_larger(good, Number{});
            take_larger(sure, value.of[j]);
            sum.of[j] += good * (weight + pooled.of[j] * weight * rate);
            relevant.of[j] += good;
            judged.of[j] += sure;
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
        for (size_t j = 0; j < kSteps; ++j) best.of[j] = rank + Number{};
        for (size_t k = 0; k + 1 < topic.number; k += 2) {
            const Lanes &limit = topic.levels[k], &step = topic.levels[k + 1];
            for (size_t j = 0; j < kSteps; ++j) {
                Number most = rank + Number{};
                take_smaller(most, limit.of[j]);
                best.of[j] += step.of[j] * most;
            }
        }
        for (size_t j = 0; j < kSteps; ++j) {
            found.of[j] += counted.of[j] + value.of[j];
            sum.of[j] += counted.of[j] * (found.of[j] / best.of[j]);
        }
    }
    out = sum;
}

// How strongly documents pull a user, by the difference of their ranks, from -reach to reach: the
// inverse of their distance, or of its logarithm. Pulls are rounded to a unit of which sums are
// exact, whatever their order.
template <bool logarithms> const double *pulls_within(size_t reach) {
    thread_local std::vector<double> table;
    if (table.size() <= 2 * reach) {
        constexpr double unit = logarithms ? 0x1p-43 : 0x1p-48;
        size_t middle = 2 * reach;
        table.assign(2 * middle + 1, 0.0);
        for (size_t gap = 1; gap <= middle; ++gap) {
            double far = static_cast<double>(gap);
            double pull = logarithms ? 1 / std::log10(far + 2) : 1 / (far + 1);
            table[middle - gap] = table[middle + gap] = std::round(pull / unit) * unit;
        }
    }
    return table.data() + table.size() / 2;
}

inline int32_t rank_at(WeightedList list, size_t place) {
    return static_cast<int32_t>(list.weight[place]);
}

template <bool logarithms> const double *pulls_of(WeightedList list) {
    return pulls_within<logarithms>(list.size ? rank_at(list, list.size - 1) : 0);
}

// Weights are ranks.
inline void check_ranks(WeightedList list) {
    double last = 0, most = std::numeric_limits<int32_t>::max() / 4;
    for (size_t i = 0; i < list.size; ++i) {
        if (!(list.weight[i] > last && list.weight[i] < most))
            throw std::out_of_range("ranks do not ascend");
        last = list.weight[i];
    }
}

// Adds pulls from some ranks, four at once, times a sign, to the sums at others.
inline void add_pulls(const double *pulls, const std::vector<int32_t> &from, double sign,
                      const std::vector<int32_t> &to, std::vector<double> &sums) {
    const int32_t *at = to.data();
    size_t k = 0;
    for (; k + 4 <= from.size(); k += 4) {
        const double *a = pulls - from[k], *b = pulls - from[k + 1];
        const double *c = pulls - from[k + 2], *d = pulls - from[k + 3];
        for (size_t i = 0; i < to.size(); ++i)
            sums[i] += sign * ((a[at[i]] + b[at[i]]) + (c[at[i]] + d[at[i]]));
    }
    for (; k < from.size(); ++k)
        for (size_t i = 0; i < to.size(); ++i) sums[i] += sign * pulls[at[i] - from[k]];
}

// Precision at documents of value 1, averaged over the moves between them: as many start at one
// document as end there.
struct Moves {
    Lanes found = {}, precision = {};  // down to the last of these documents
    Lanes sum = {}, number = {};

    void reach(size_t j, const Number &value, double rank) {
        found.of[j] += value;
        precision.of[j] = value > 0 ? found.of[j] / rank : precision.of[j];
    }

    // Nothing pulls away from a single document: the user stays there.
    void mean(Lanes &out) const {
        for (size_t j = 0; j < kSteps; ++j)
            out.of[j] = number.of[j] > 0 ? sum.of[j] / number.of[j] : precision.of[j];
    }
};

// mean precision at the documents of value 1, where a user is who moves from each to those just
// above and below it
HUNGJURY_WIDE inline void walk_to_next(WeightedList list, const TopicValues &topic, Lanes &out,
                                       const double *pulls) {
    Moves moves;
    Lanes last = {}, pull;
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double rank = list.weight[i];
        for (size_t j = 0; j < kLanes; ++j)
            pull.each()[j] = pulls[static_cast<int32_t>(rank - last.each()[j])];
        for (size_t j = 0; j < kSteps; ++j) {
            Number here = moves.found.of[j] > 0 ? value.of[j] * pull.of[j] : Number{};
            Number above = moves.precision.of[j];
            moves.reach(j, value.of[j], rank);
            moves.sum.of[j] += here * (above + moves.precision.of[j]);
            moves.number.of[j] += 2 * here;
            last.of[j] = value.of[j] > 0 ? rank + Number{} : last.of[j];
        }
    }
    moves.mean(out);
}

// The pull of all other documents of a list, at each of them.
template <bool logarithms> std::vector<double> pulled_by_all(WeightedList list) {
    check_ranks(list);
    std::vector<int32_t> ranks(list.weight, list.weight + list.size);
    std::vector<double> sums(list.size);
    add_pulls(pulls_of<logarithms>(list), ranks, 1, ranks, sums);
    return sums;
}

inline std::vector<double> only_checked(WeightedList list) {
    check_ranks(list);
    return {};
}

// the same, of a user who moves from each to all others. Most documents have one value under all of
// these label vectors, and pull alike: only those that change are added up side by side.
HUNGJURY_WIDE inline void walk_to_any(WeightedList list, const TopicValues &topic, Lanes &out,
                                      const double *pulls) {
    thread_local std::vector<int32_t> ranks, always, not_always, changing;
    thread_local std::vector<const Lanes *> values;
    thread_local std::vector<Lanes> changes;
    thread_local std::vector<double> pulled;  // by documents that do not change
    for (auto *one : {&ranks, &always, &not_always, &changing}) one->clear();
    values.clear();
    changes.clear();
    pulled.clear();
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        double sums[4] = {};
        for (size_t j = 0; j < kLanes; ++j) sums[j % 4] += value.each()[j];
        double ones = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        int32_t rank = rank_at(list, i);
        (ones == kLanes ? always : not_always).push_back(rank);
        if (ones == 0) continue;
        ranks.push_back(rank);
        values.push_back(&value);
        pulled.push_back(list.prepared[i]);
        if (ones == kLanes) continue;
        changing.push_back(rank);
        changes.push_back(value);
    }
    if (not_always.size() < always.size()) {
        add_pulls(pulls, not_always, -1, ranks, pulled);
    } else {
        std::fill(pulled.begin(), pulled.end(), 0.0);
        add_pulls(pulls, always, 1, ranks, pulled);
    }
    Moves moves;
    for (size_t i = 0; i < ranks.size(); ++i) {
        Lanes number;
        for (size_t j = 0; j < kSteps; ++j) number.of[j] = pulled[i] + Number{};
        for (size_t k = 0; k < changing.size(); ++k) {
            double pull = pulls[ranks[i] - changing[k]];
            for (size_t j = 0; j < kSteps; ++j) number.of[j] += pull * changes[k].of[j];
        }
        for (size_t j = 0; j < kSteps; ++j) {
            const Number &value = values[i]->of[j];
            moves.reach(j, value, ranks[i]);
            moves.number.of[j] += value * number.of[j];
            moves.sum.of[j] += value * number.of[j] * moves.precision.of[j];
        }
    }
    moves.mean(out);
}

template <auto walk, bool logarithms>
void average_walk(WeightedList list, const TopicValues &topic, Lanes &out) {
    walk(list, topic, out, pulls_of<logarithms>(list));
}

struct NamedKernel {
    const char *name;
    Kernel score;
    size_t levels;  // that it needs at least
    std::vector<double> (*prepare)(WeightedList) = nullptr;
};

inline const NamedKernel &kernel(const std::string &name) {
    static const NamedKernel all[] = {
        {"gains", add_gains, 0},         {"precisions", add_precisions, 0},
        {"cascade", add_cascade, 0},     {"best", take_best, 0},
        {"within", add_within, 1},       {"reached", take_precision, 1},
        {"preferences", add_preferences, 2}, {"inferred", add_inferred, 1},
        {"blended", add_blended, 0},
        {"LO_OR_ID", average_walk<walk_to_next, false>, 0, only_checked},
        {"LO_OR_LID", average_walk<walk_to_next, true>, 0, only_checked},
        {"GL_OR_ID", average_walk<walk_to_any, false>, 0, pulled_by_all<false>},
        {"GL_OR_LID", average_walk<walk_to_any, true>, 0, pulled_by_all<true>},
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
            for (size_t d = 0; d < values.size(); ++d) values[d].each()[j] = worth.of(mine[d]);
        }
    }
};

// Scores [list, vector] of the lists of one topic, whose documents are those from `first` on.
// `levels`: [level, vector], or, where each list has its own, [level, list * vector]; `counted`: of
// no grades where documents count by their worth.
template <class Label>
void score_topic(const NamedKernel &kernel, const LabelVectors<Label> &given, Worth worth,
                 Worth counted, const double *levels, size_t number, bool of_lists, size_t first,
                 size_t documents, std::vector<WeightedList> lists, double *out) {
    std::vector<std::vector<double>> prepared;
    for (size_t i = 0; i < lists.size() && kernel.prepare; ++i) {
        prepared.push_back(kernel.prepare(lists[i]));
        lists[i].prepared = prepared[i].data();
    }
    bool apart = counted.grades > 0;
    std::vector<Lanes> values(documents, Lanes{}), counts(apart ? documents : 0, Lanes{});
    std::vector<Lanes> limits(number);
    for (auto &limit : limits) std::fill_n(limit.each(), kLanes, 1.0);
    TopicValues topic{values.data(), apart ? counts.data() : values.data(), limits.data(), number};
    Lanes scores;
    for (size_t begin = 0; begin < given.vectors; begin += kLanes) {
        size_t count = std::min(kLanes, given.vectors - begin);
        given.fill(begin, count, first, worth, values);
        if (apart) given.fill(begin, count, first, counted, counts);
        for (size_t i = 0; i < lists.size(); ++i) {
            size_t sets = of_lists ? lists.size() : 1, mine = of_lists ? i : 0;
            for (size_t k = 0; k < number && (of_lists || !i); ++k)
                std::copy_n(levels + (k * sets + mine) * given.vectors + begin, count,
                            limits[k].each());
            kernel.score(lists[i], topic, scores);
            std::copy_n(scores.each(), count, out + i * given.vectors + begin);
        }
    }
}

}  // namespace hungjury
