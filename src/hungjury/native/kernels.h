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

// How strongly documents pull a user, by their distance: its inverse, or that of its logarithm.
class Pulls {
  public:
    explicit Pulls(bool logarithms) : logarithms_(logarithms) {}

    // A table from distance 0 on that reaches to the end of the list. Weights are ranks.
    const double *of(WeightedList list) {
        double farthest = 0;
        for (size_t i = 0; i < list.size; ++i) {
            if (!(list.weight[i] > farthest && list.weight[i] < std::numeric_limits<int32_t>::max()))
                throw std::out_of_range("ranks do not ascend");
            farthest = list.weight[i];
        }
        for (size_t gap = table_.size(); gap <= static_cast<size_t>(farthest); ++gap) {
            double far = static_cast<double>(gap);
            table_.push_back(!gap ? 0 : logarithms_ ? 1 / std::log10(far + 2) : 1 / (far + 1));
        }
        return table_.data();
    }

  private:
    bool logarithms_;
    std::vector<double> table_;
};

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
            out.of[j] = number.of[j] > 0 ? sum.of[j] / (2 * number.of[j]) : precision.of[j];
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
            moves.number.of[j] += here;
            last.of[j] = value.of[j] > 0 ? rank + Number{} : last.of[j];
        }
    }
    moves.mean(out);
}

// the same, of a user who moves from each to all others
HUNGJURY_WIDE inline void walk_to_any(WeightedList list, const TopicValues &topic, Lanes &out,
                                      const double *pulls) {
    struct Above {
        Lanes value, precision;
        int32_t rank;
    };
    thread_local std::vector<Above> passed;
    passed.clear();
    Moves moves;
    for (size_t i = 0; i < list.size; ++i) {
        const Lanes &value = topic.value[list.document[i]];
        if (std::count(value.each(), value.each() + kLanes, 0.0) == kLanes) continue;
        auto rank = static_cast<int32_t>(list.weight[i]);
        Lanes number = {}, precision = {};
        for (const Above &one : passed) {
            double pull = pulls[rank - one.rank];
            for (size_t j = 0; j < kSteps; ++j) {
                number.of[j] += pull * one.value.of[j];
                precision.of[j] += pull * one.precision.of[j];
            }
        }
        Above &here = passed.emplace_back();
        here.rank = rank;
        here.value = value;
        for (size_t j = 0; j < kSteps; ++j) {
            moves.reach(j, value.of[j], rank);
            here.precision.of[j] = value.of[j] * moves.precision.of[j];
            moves.sum.of[j] += value.of[j] * precision.of[j] + here.precision.of[j] * number.of[j];
            moves.number.of[j] += value.of[j] * number.of[j];
        }
    }
    moves.mean(out);
}

template <auto walk, bool logarithms>
void average_walk(WeightedList list, const TopicValues &topic, Lanes &out) {
    thread_local Pulls pulls(logarithms);
    walk(list, topic, out, pulls.of(list));
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
        {"blended", add_blended, 0},
        {"LO_OR_ID", average_walk<walk_to_next, false>, 0},
        {"LO_OR_LID", average_walk<walk_to_next, true>, 0},
        {"GL_OR_ID", average_walk<walk_to_any, false>, 0},
        {"GL_OR_LID", average_walk<walk_to_any, true>, 0},
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
void score_topic(Kernel score, const LabelVectors<Label> &given, Worth worth, Worth counted,
                 const double *levels, size_t number, bool of_lists, size_t first,
                 size_t documents, const std::vector<WeightedList> &lists, double *out) {
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
            score(lists[i], topic, scores);
            std::copy_n(scores.each(), count, out + i * given.vectors + begin);
        }
    }
}

}  // namespace hungjury
