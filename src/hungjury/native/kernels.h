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
typedef int64_t Choice __attribute__((vector_size(4 * sizeof(int64_t))));  // of a comparison
inline Number only(Choice chosen, Number value) { return (Number)(chosen & (Choice)value); }
#else
using Number = double;
using Choice = bool;
inline Number only(Choice chosen, Number value) { return chosen ? value : 0.0; }
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

// What a kernel computes once of a list, for all label vectors.
struct Prepared {
    std::vector<int32_t> document, rank;  // of documents of value 1 under some label vector
    std::vector<double> pulled;           // [such document]: by those of value 1 under all of them
    std::vector<size_t> changing;         // which of these documents have both values
};

// A ranked list, best first: its documents, counted within the topic, each with the weight of its
// rank. Documents that weigh nothing are left out.
struct WeightedList {
    const int32_t *document;
    const double *weight;
    size_t size;
    const Prepared *prepared = nullptr;
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

template <bool logarithms> const double *pulls_of(WeightedList list) {
    return pulls_within<logarithms>(list.size ? static_cast<size_t>(list.weight[list.size - 1]) : 0);
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

inline Prepared only_checked(WeightedList list, const std::vector<double> &) {
    check_ranks(list);
    return {};
}

// `steady`: [document] the value under all label vectors; NaN where it changes. Most documents do
// not change, and pull alike under all of them.
template <bool logarithms>
Prepared pulled_by_steady(WeightedList list, const std::vector<double> &steady) {
    check_ranks(list);
    const double *pulls = pulls_of<logarithms>(list);
    Prepared known;
    std::vector<int32_t> always;
    for (size_t i = 0; i < list.size; ++i) {
        double value = steady[static_cast<size_t>(list.document[i])];
        if (value == 0) continue;
        auto rank = static_cast<int32_t>(list.weight[i]);
        if (value > 0) always.push_back(rank);
        else known.changing.push_back(known.rank.size());
        known.document.push_back(list.document[i]);
        known.rank.push_back(rank);
    }
    for (int32_t rank : known.rank) {
        double sum = 0;
        for (int32_t from : always) sum += pulls[rank - from];
        known.pulled.push_back(sum);
    }
    return known;
}

// A document that changes, under the label vectors that are worked on.
struct alignas(64) Change {
    Choice relevant[kSteps];
    int32_t rank;
};
using Changes = std::vector<Change>;

// The pulls at as many documents as there are sums, from the one at `at` on.
template <size_t documents>
HUNGJURY_INLINE void pull(const Prepared &known, const Changes &changes, const double *pulls,
                          size_t at, Lanes (&sums)[documents]) {
    for (size_t i = 0; i < documents; ++i)
        for (size_t j = 0; j < kSteps; ++j) sums[i].of[j] = known.pulled[at + i] - Number{};
    for (const Change &change : changes) {
        Number each[documents];
        for (size_t i = 0; i < documents; ++i)
            each[i] = pulls[known.rank[at + i] - change.rank] - Number{};
        for (size_t j = 0; j < kSteps; ++j) {
            Choice relevant = change.relevant[j];
            for (size_t i = 0; i < documents; ++i) sums[i].of[j] += only(relevant, each[i]);
        }
    }
}

// the same, of a user who moves from each to all others
HUNGJURY_WIDE inline void walk_to_any(WeightedList list, const TopicValues &topic, Lanes &out,
                                      const double *pulls) {
    const Prepared &known = *list.prepared;
    thread_local Changes changes;
    changes.resize(known.changing.size());
    for (size_t k = 0; k < changes.size(); ++k) {
        const Lanes &value = topic.value[known.document[known.changing[k]]];
        for (size_t j = 0; j < kSteps; ++j) changes[k].relevant[j] = value.of[j] > 0;
        changes[k].rank = known.rank[known.changing[k]];
    }
    Moves moves;
    auto move = [&](size_t i, const Lanes &number) {
        const Lanes &values = topic.value[known.document[i]];
        for (size_t j = 0; j < kSteps; ++j) {
            const Number &value = values.of[j];
            moves.reach(j, value, known.rank[i]);
            moves.number.of[j] += value * number.of[j];
            moves.sum.of[j] += value * number.of[j] * moves.precision.of[j];
        }
    };
    size_t i = 0;
    for (Lanes two[2]; i + 2 <= known.rank.size(); i += 2) {  // their sums stay in registers
        pull(known, changes, pulls, i, two);
        move(i, two[0]);
        move(i + 1, two[1]);
    }
    for (Lanes one[1]; i < known.rank.size(); ++i) {
        pull(known, changes, pulls, i, one);
        move(i, one[0]);
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
    Prepared (*prepare)(WeightedList, const std::vector<double> &steady) = nullptr;
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
        {"GL_OR_ID", average_walk<walk_to_any, false>, 0, pulled_by_steady<false>},
        {"GL_OR_LID", average_walk<walk_to_any, true>, 0, pulled_by_steady<true>},
    };
    for (const auto &one : all)
        if (name == one.name) return one;
    throw std::invalid_argument("no kernel is called " + name);
}

// What documents are worth by their label: by grade, and last if they were pooled and not judged.
// Their grade is then negative, but not the lowest number, which documents outside the pool have.
class Worth {
  public:
    Worth(const double *worth, size_t size) : of_(worth, worth + size) { of_.push_back(0.0); }

    template <class Label> double of(Label label) const {
        size_t grades = of_.size() - 2;
        if (label < 0)
            return of_[grades + (label == std::numeric_limits<Label>::min() ? 1 : 0)];
        if (static_cast<size_t>(label) >= grades)
            throw std::out_of_range("a label is above the largest grade");
        return of_[static_cast<size_t>(label)];
    }

  private:
    std::vector<double> of_;
};

// Label vectors [vector, document] over all topics.
template <class Label> struct LabelVectors {
    const Label *labels;
    size_t vectors, documents;

    // The values of the documents from `first` on under `count` vectors from `begin` on.
    void fill(size_t begin, size_t count, size_t first, const Worth &worth,
              std::vector<Lanes> &values) const {
        const Label *mine = labels + begin * documents + first;
        for (size_t d = 0; d < values.size(); ++d) {
            double *each = values[d].each();
            for (size_t j = 0; j < count; ++j) each[j] = worth.of(mine[j * documents + d]);
        }
    }
};

// The documents of a topic in label vectors: those from `first` on.
struct TopicPart {
    size_t first, documents;
};

// What the pools of label vectors add to a formula: [level, vector], or, where each list has a pool
// of its own, [level, list * vector].
struct Levels {
    const double *of;
    size_t number;
    bool of_lists;
};

// The value of each document under all label vectors; NaN where it changes.
template <class Label>
std::vector<double> steady_values(const LabelVectors<Label> &given, const Worth &worth,
                                  TopicPart part, std::vector<Lanes> &values) {
    std::vector<double> steady;
    for (size_t begin = 0; begin < given.vectors; begin += kLanes) {
        size_t count = std::min(kLanes, given.vectors - begin);
        given.fill(begin, count, part.first, worth, values);
        for (size_t d = 0; d < part.documents; ++d) {
            const double *each = values[d].each();
            if (!begin) steady.push_back(each[0]);
            for (size_t j = 0; j < count; ++j)
                if (each[j] != steady[d]) steady[d] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return steady;
}

// Scores the lists of one topic, `apart` numbers from one list to the next. `counted` is nullptr
// where documents count by their worth.
template <class Label>
void score_topic(const NamedKernel &kernel, const LabelVectors<Label> &given, const Worth &worth,
                 const Worth *counted, Levels levels, TopicPart part,
                 std::vector<WeightedList> lists, double *out, size_t apart) {
    std::vector<Lanes> values(part.documents, Lanes{}), counts(counted ? part.documents : 0, Lanes{});
    std::vector<Prepared> prepared;
    if (kernel.prepare) {
        auto steady = steady_values(given, worth, part, values);
        for (WeightedList list : lists) prepared.push_back(kernel.prepare(list, steady));
        for (size_t i = 0; i < lists.size(); ++i) lists[i].prepared = &prepared[i];
    }
    std::vector<Lanes> limits(levels.number);
    for (auto &limit : limits) std::fill_n(limit.each(), kLanes, 1.0);
    TopicValues topic{values.data(), counted ? counts.data() : values.data(), limits.data(),
                      levels.number};
    Lanes scores;
    for (size_t begin = 0; begin < given.vectors; begin += kLanes) {
        size_t count = std::min(kLanes, given.vectors - begin);
        given.fill(begin, count, part.first, worth, values);
        if (counted) given.fill(begin, count, part.first, *counted, counts);
        for (size_t i = 0; i < lists.size(); ++i) {
            size_t sets = levels.of_lists ? lists.size() : 1, mine = levels.of_lists ? i : 0;
            for (size_t k = 0; k < levels.number && (levels.of_lists || !i); ++k)
                std::copy_n(levels.of + (k * sets + mine) * given.vectors + begin, count,
                            limits[k].each());
            kernel.score(lists[i], topic, scores);
            std::copy_n(scores.each(), count, out + i * apart + begin);
        }
    }
}

}  // namespace hungjury
