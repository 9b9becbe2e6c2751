// Lists scored under many labels, and draws of labels.
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "contests.h"
#include "density.h"
#include "distance.h"
#include "expectations.h"
#include "grades.h"
#include "kernels.h"
#include "moments.h"
#include "pairs.h"
#include "products.h"
#include "walks.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

namespace {

// Rows of `ranks` and `p` are lists; returns mean and variance of each.
nb::tuple precision_sums(Tabled<int32_t> ranks, Tabled<double> p, Given<int32_t> lengths,
                         double unjudged) {
    check_sizes({{"lengths", lengths.size()}, {"ranks", ranks.shape(0)}, {"p", p.shape(0)}});
    check_sizes({{"places in ranks", ranks.shape(1)}, {"places in p", p.shape(1)}});
    if (std::any_of(ranks.data(), ranks.data() + ranks.size(), [](int32_t r) { return r < 1; }))
        throw std::out_of_range("ranks count from 1");
    std::vector<double> mean(lengths.size()), variance(lengths.size());
    {
        nb::gil_scoped_release free;
        PrecisionSum sum;
        size_t places = ranks.shape(1);
        for (size_t i = 0; i < lengths.size(); ++i) {
            sum.add(ranks.data() + i * places, p.data() + i * places, places, lengths(i), unjudged);
            mean[i] = sum.mean;
            variance[i] = sum.variance;
        }
    }
    return nb::make_tuple(array(std::move(mean)), array(std::move(variance)));
}

// Mean and variance [list] of S f(R), see `RelevanceSum`. Lists are entries start .. stop of `rank`,
// `document` and `weight`, for all systems and topics; those of one topic follow each other by
// `topics`. `ranks` of a list count, `others` of its documents are outside the pool, and as many as
// `beyond` are in nobody's list; all these are relevant with probability `outside`.
nb::tuple relevance_moments(bool precisions, Given<double> p, Given<int64_t> offsets,
                            Given<int64_t> start, Given<int64_t> stop, Given<int32_t> rank,
                            Given<int32_t> document, Given<double> weight, Given<double> weights,
                            Given<int64_t> ranks, Given<int64_t> others, Given<int64_t> beyond,
                            double outside, Tabled<double> factor, Tabled<double> square) {
    size_t lists = start.size(), topics = factor.shape(0), values = factor.shape(1);
    check_sizes({{"start", lists}, {"stop", stop.size()}, {"ranks", ranks.size()},
                 {"others", others.size()}, {"beyond", beyond.size()}});
    check_sizes({{"rank", rank.size()}, {"document", document.size()}, {"weight", weight.size()}});
    check_sizes({{"topics of square", square.shape(0)}, {"topics", topics}});
    check_sizes({{"values of square", square.shape(1)}, {"values", values}});
    check_offsets(offsets, topics, p.size());
    check_codes(document, p.size(), "a document lies outside the pool");
    if (!values || !topics || lists % topics) throw std::out_of_range("lists by topic are needed");
    auto entries = static_cast<int64_t>(rank.size()), deepest = static_cast<int64_t>(weights.size());
    for (size_t i = 0; i < lists; ++i) {
        if (start(i) < 0 || stop(i) < start(i) || stop(i) > entries)
            throw std::out_of_range("a list lies outside the entries");
        if (ranks(i) < 0 || ranks(i) > deepest) throw std::out_of_range("a rank has no weight");
    }
    std::vector<double> mean(lists), variance(lists);
    {
        nb::gil_scoped_release free;
        RelevanceSum sum(values, precisions);
        std::vector<char> listed(p.size(), 0);
        for (size_t i = 0; i < lists; ++i) {
            size_t topic = i % topics;
            int64_t next = 1, unlisted = others(i) + beyond(i);
            auto reach = [&](int64_t upto) {  // the ranks before `upto` have no entry
                for (; outside > 0 && next < upto; ++next, --unlisted)
                    sum.add(outside, weights(static_cast<size_t>(next - 1)));
            };
            sum.clear();
            for (auto e = static_cast<size_t>(start(i)); e < static_cast<size_t>(stop(i)); ++e) {
                reach(std::min<int64_t>(rank(e), ranks(i) + 1));
                next = rank(e) + 1;
                listed[static_cast<size_t>(document(e))] = 1;
                sum.add(p(static_cast<size_t>(document(e))), weight(e));
            }
            reach(ranks(i) + 1);
            if (values > 1) {  // else R does not matter
                for (; outside > 0 && unlisted > 0; --unlisted) sum.add(outside, 0.0);
                for (auto d = static_cast<size_t>(offsets(topic));
                     d < static_cast<size_t>(offsets(topic + 1)); ++d)
                    if (!listed[d]) sum.add(p(d), 0.0);
            }
            for (auto e = static_cast<size_t>(start(i)); e < static_cast<size_t>(stop(i)); ++e)
                listed[static_cast<size_t>(document(e))] = 0;
            double second;
            sum.finish(factor.data() + topic * values, square.data() + topic * values, mean[i],
                       second);
            variance[i] = std::max(second - mean[i] * mean[i], 0.0);
        }
    }
    return nb::make_tuple(array(std::move(mean)), array(std::move(variance)));
}

// [document]: the mean of its gain over that of the topic's best list of as many ranks as there are
// discounts. Grades ascend by gain, the first of which is 0.
Array<double> ideal_shares(Tabled<double> chances, Given<int64_t> offsets, Given<double> gains,
                           Given<double> discounts) {
    check_sizes({{"grades", chances.shape(1)}, {"gains", gains.size()}});
    if (gains.size() < 2 || !discounts.size()) throw std::out_of_range("grades and ranks are needed");
    check_offsets(offsets, offsets.size() ? offsets.size() - 1 : 0, chances.shape(0));
    size_t grades = gains.size() - 1;
    std::vector<double> found(chances.shape(0)), upto(discounts.size() + 1, 0.0);
    {
        nb::gil_scoped_release free;
        for (size_t n = 0; n < discounts.size(); ++n) upto[n + 1] = upto[n] + discounts(n);
        IdealStates ideal(grades, discounts.size());
        auto share = ideal.shares(gains.data(), upto.data());
        for (size_t t = 0; t + 1 < offsets.size(); ++t) {
            auto first = static_cast<size_t>(offsets(t)), end = static_cast<size_t>(offsets(t + 1));
            shares_of_ideal(ideal, share, chances.data() + first * (grades + 1), gains.data(),
                            end - first, grades, found.data() + first);
        }
    }
    return array(std::move(found));
}

// The lists of one topic: entries start .. stop [system, topic] of `document` and `weight`.
std::vector<WeightedList> weighted_lists(const Tabled<int64_t> &start, const Tabled<int64_t> &stop,
                                         const Given<int32_t> &document,
                                         const Given<double> &weight, size_t topic,
                                         size_t documents) {
    std::vector<WeightedList> lists;
    auto entries = static_cast<int64_t>(document.size());
    for (size_t i = topic; i < start.size(); i += start.shape(1)) {
        int64_t begin = start.data()[i], end = stop.data()[i];
        if (begin < 0 || end < begin || end > entries)
            throw std::out_of_range("a list lies outside the entries");
        WeightedList list{document.data() + begin, weight.data() + begin,
                          static_cast<size_t>(end - begin)};
        for (size_t e = 0; e < list.size; ++e)
            if (list.document[e] < 0 || static_cast<size_t>(list.document[e]) >= documents)
                throw std::out_of_range("a document lies outside its topic");
        lists.push_back(list);
    }
    return lists;
}

// [system, topic * vector] for as many topics as there are levels of, from `first` on. `worth` and
// `counted` of all grades, then of documents that were pooled and not judged; `counted` is empty where
// it is the worth. `levels`: [topic, level, vector], or the vectors of all lists. Topic t has the
// documents from offset t to offset t + 1 of the labels.
template <class Label>
Table score_lists(const std::string &name, Tabled<Label> labels, Given<double> worth,
                  Given<double> counted, Stacked<double> levels, Given<int64_t> offsets,
                  size_t first, Tabled<int64_t> start, Tabled<int64_t> stop,
                  Given<int32_t> document, Given<double> weight) {
    size_t topics = start.shape(1), some = levels.shape(0), number = levels.shape(1);
    check_offsets(offsets, topics, labels.shape(1));
    if (first > topics || some > topics - first) throw std::out_of_range("there is no such topic");
    const NamedKernel &chosen = kernel(name);
    if (!worth.size()) throw std::out_of_range("no worth is given");
    if (counted.size()) check_sizes({{"worth", worth.size()}, {"counted", counted.size()}});
    if (number < chosen.levels) throw std::out_of_range("too few levels are given");
    check_sizes({{"systems of start", start.shape(0)}, {"systems of stop", stop.shape(0)}});
    check_sizes({{"topics of start", topics}, {"topics of stop", stop.shape(1)}});
    check_sizes({{"document", document.size()}, {"weight", weight.size()}});
    LabelVectors<Label> given{labels.data(), labels.shape(0), labels.shape(1)};
    bool of_lists = number && levels.shape(2) != given.vectors;
    if (of_lists)
        check_sizes({{"vectors of all lists", cells({start.shape(0), given.vectors})},
                     {"levels", levels.shape(2)}});
    Table scores = table(start.shape(0), cells({some, given.vectors}));
    {
        nb::gil_scoped_release free;
        Worth adds(worth.data(), worth.size()), counts(counted.data(), counted.size());
        for (size_t t = 0; t < some; ++t) {
            auto begin = static_cast<size_t>(offsets(first + t));
            TopicPart part{begin, static_cast<size_t>(offsets(first + t + 1)) - begin};
            score_topic(chosen, given, adds, counted.size() ? &counts : nullptr,
                        {levels.data() + t * number * levels.shape(2), number, of_lists}, part,
                        weighted_lists(start, stop, document, weight, first + t, part.documents),
                        scores.data() + t * given.vectors, some * given.vectors);
        }
    }
    return scores;
}

// Sums [set, list] and slopes [set, place] of lists for the worth of documents [set, document]; list l
// has the places from end l to end l + 1. The slopes of gains are the same for all sets: [1, place].
nb::tuple walk_lists(const std::string &name, Tabled<double> worth, Given<int64_t> end,
                     Given<int32_t> document, Given<double> weight) {
    Walk walk = walk_by(name);
    size_t lists = end.size() ? end.size() - 1 : 0, sets = worth.shape(0), places = document.size();
    check_sizes({{"document", places}, {"weight", weight.size()}});
    check_offsets(end, lists, places);
    check_codes(document, worth.shape(1), "a document lies outside the pool");
    size_t apart = walk == walk_gains ? 0 : places;
    Table sums = table(sets, lists), slopes = table(apart ? sets : 1, places);
    {
        nb::gil_scoped_release free;
        for (size_t k = 0; k < sets; ++k)
            for (size_t i = 0; i < lists; ++i) {
                auto begin = static_cast<size_t>(end(i));
                WeightedList list{document.data() + begin, weight.data() + begin,
                                  static_cast<size_t>(end(i + 1)) - begin};
                sums.data()[k * lists + i] = walk(list, worth.data() + k * worth.shape(1),
                                                  slopes.data() + k * apart + begin);
            }
    }
    return nb::make_tuple(sums, slopes);
}

constexpr size_t kFewGrades = 16;

// std::count with sums of the size of labels: as many are compared at once as fit.
template <class Label> int64_t count_of(const Label *at, const Label *end, Label label) {
    int64_t found = 0;
    while (at < end) {
        const Label *stop = at + std::min<ptrdiff_t>(end - at, std::numeric_limits<Label>::max());
        Label some = 0;
        for (; at < stop; ++at) some = static_cast<Label>(some + (*at == label));
        found += some;
    }
    return found;
}

// [topic * vector * grade]: documents of each topic that have each grade under label vectors. Topic t has
// the documents from offset t to offset t + 1.
template <class Label>
Array<int64_t> grade_counts(Tabled<Label> labels, Given<int64_t> offsets, size_t grades) {
    size_t topics = offsets.size() ? offsets.size() - 1 : 0, vectors = labels.shape(0);
    int64_t last = 0;
    for (size_t t = 0; t < offsets.size(); last = offsets(t++))
        if (offsets(t) < last || offsets(t) > static_cast<int64_t>(labels.shape(1)))
            throw std::out_of_range("offsets must ascend within the labels");
    std::vector<int64_t> counts(cells({topics, vectors, grades}));
    {
        nb::gil_scoped_release free;
        for (size_t v = 0; v < vectors; ++v)
            for (size_t t = 0; t < topics; ++t) {
                const Label *mine = labels.data() + v * labels.shape(1);
                int64_t *found = counts.data() + (t * vectors + v) * grades;
                const Label *end = mine + offsets(t + 1);
                mine += offsets(t);
                if (grades <= kFewGrades)  // compared many labels at once
                    for (size_t g = 0; g < grades; ++g)
                        found[g] = count_of(mine, end, static_cast<Label>(g));
                else
                    for (; mine < end; ++mine)
                        if (*mine >= 0 && static_cast<size_t>(*mine) < grades) ++found[*mine];
            }
    }
    return array(std::move(counts));
}

// [table * left * right]: sums over pairs of every row of one table with every row of the other.
Array<double> pair_sums(Stacked<double> left, Stacked<double> right, bool by_rank) {
    check_sizes({{"tables on the left", left.shape(0)}, {"tables on the right", right.shape(0)}});
    check_sizes({{"items on the left", left.shape(2)}, {"items on the right", right.shape(2)}});
    size_t tables = left.shape(0), items = left.shape(2);
    size_t lefts = left.shape(1), rights = right.shape(1);
    std::vector<double> sums(cells({tables, lefts, rights}));
    {
        nb::gil_scoped_release free;
        PairSums pairs(items, rights, by_rank);
        for (size_t t = 0; t < tables; ++t)
            pairs.fill(left.data() + t * lefts * items, lefts, right.data() + t * rights * items,
                       rights, sums.data() + t * lefts * rights);
    }
    return array(std::move(sums));
}

// [row]: pairs of different values.
Array<int64_t> untied_pairs(Tabled<double> values) {
    size_t rows = values.shape(0), items = values.shape(1);
    std::vector<int64_t> pairs(rows);
    {
        nb::gil_scoped_release free;
        Order order(items);
        for (size_t r = 0; r < rows; ++r) pairs[r] = order.count_higher(values.data() + r * items);
    }
    return array(std::move(pairs));
}

// [left, right]: the squared distance of every row of one table to every row of the other.
Table squared_distances(Tabled<double> left, Tabled<double> right) {
    check_sizes({{"columns on the left", left.shape(1)}, {"columns on the right", right.shape(1)}});
    size_t lefts = left.shape(0), rights = right.shape(0), size = left.shape(1);
    Table found = table(lefts, rights);
    {
        nb::gil_scoped_release free;
        for (size_t r = 0; r < rights; ++r)
            for (size_t l = 0; l < lefts; ++l)
                found.data()[l * rights + r] =
                    squared_distance(left.data() + l * size, right.data() + r * size, size);
    }
    return found;
}

// [row, point]: kernel sums of the values of each row on a grid over [0, 1].
Table kernel_sums(Tabled<double> values, int64_t points, double bandwidth) {
    if (points < 2 || !(bandwidth > 0)) throw std::out_of_range("no grid, or no bandwidth");
    size_t rows = values.shape(0), size = values.shape(1), width = static_cast<size_t>(points);
    KernelGrid grid(width, bandwidth);
    const double *end = values.data() + rows * size;
    if (!std::all_of(values.data(), end, [&](double v) { return grid.takes(v); }))
        throw std::out_of_range("a value lies far outside [0, 1]");
    Table sums = table(rows, width);
    {
        nb::gil_scoped_release free;
        for (size_t r = 0; r < rows; ++r) {
            for (size_t i = 0; i < size; ++i) grid.add(values.data()[r * size + i]);
            grid.take(sums.data() + r * width);
        }
    }
    return sums;
}

// [row from first to last, row * weight]: products of two rows of a sparse table, summed over columns
// with one or two weights [column, weight]; for pairs of rows in their order.
Table products_of_rows(Given<int32_t> row, Given<int32_t> column, Given<double> value,
                       Tabled<double> weight, size_t rows, size_t first, size_t last) {
    check_sizes({{"row", row.size()}, {"column", column.size()}, {"value", value.size()}});
    size_t columns = weight.shape(0), weights = weight.shape(1);
    check_codes(row, rows, "an entry lies outside the table");
    check_codes(column, columns, "an entry lies outside the table");
    if (weights < 1 || weights > 2) throw std::out_of_range("one or two weights are needed");
    if (first > last || last > rows) throw std::out_of_range("the rows lie outside the table");
    Table sums = table(last - first, cells({rows, weights}));
    {
        nb::gil_scoped_release free;
        std::fill_n(sums.data(), sums.size(), 0.0);
        auto *multiply = weights == 1 ? row_products<1> : row_products<2>;
        multiply(row.data(), column.data(), value.data(), weight.data(), row.size(), rows, columns,
                 first, last, sums.data());
    }
    return sums;
}

// [row, row]: the share of columns in which the first is larger; equal ones count half.
Table shares_larger(Tabled<double> values) {
    size_t rows = values.shape(0), size = values.shape(1);
    Table found = table(rows, rows);
    {
        nb::gil_scoped_release free;
        double *shares = found.data(), all = static_cast<double>(size);
        for (size_t a = 0; a < rows; ++a)
            for (size_t b = a; b < rows; ++b) {
                Contest of = contest(values.data() + a * size, values.data() + b * size, size);
                shares[a * rows + b] = (of.larger + of.equal / 2) / all;
                shares[b * rows + a] = (all - of.larger - of.equal / 2) / all;
            }
    }
    return found;
}

// [column]: the largest gap between two rows, in units given for each pair of rows.
Array<double> largest_gaps(Tabled<double> values, Tabled<double> units) {
    size_t rows = values.shape(0), size = values.shape(1);
    check_sizes({{"rows", rows}, {"rows of units", units.shape(0)},
                 {"columns of units", units.shape(1)}});
    std::vector<double> largest(size, 0.0);
    {
        nb::gil_scoped_release free;
        for (size_t a = 0; a < rows; ++a)
            for (size_t b = a + 1; b < rows; ++b)
                raise_gaps(values.data() + a * size, values.data() + b * size,
                           units.data()[a * rows + b], size, largest.data());
    }
    return array(std::move(largest));
}

void sweep_grades(Given<int64_t> begin, Given<int32_t> said, Given<int32_t> stratum,
                  Tabled<double> prior, Tabled<double> evidence, Given<double> uniforms,
                  Filled<int8_t> drawn, Filled<double> chances, Filled<int64_t> in_stratum,
                  Filled<int64_t> with_vote) {
    size_t documents = stratum.size(), grades = prior.shape(1);
    check_sizes({{"stratum", documents}, {"uniforms", uniforms.size()}, {"drawn", drawn.size()}});
    check_sizes({{"chances", chances.size()}, {"documents times grades", cells({documents, grades})}});
    check_sizes({{"grades of prior", grades}, {"grades of evidence", evidence.shape(1)}});
    check_sizes({{"prior", prior.size()}, {"in_stratum", in_stratum.size()}});
    check_sizes({{"evidence", evidence.size()}, {"with_vote", with_vote.size()}});
    check_offsets(begin, documents, said.size());
    check_codes(said, evidence.shape(0), "a vote that is not there");
    check_codes(stratum, prior.shape(0), "a stratum that is not there");
    if (!grades) throw std::out_of_range("there must be grades");
    nb::gil_scoped_release free;
    draw_grades({documents, grades, begin.data(), said.data(), stratum.data()}, prior.data(),
                evidence.data(), uniforms.data(), drawn.data(),
                {chances.data(), in_stratum.data(), with_vote.data()});
}

}  // namespace

void bind_scoring(nb::module_ &m) {
    m.def("precision_sums", &precision_sums, "ranks"_a, "p"_a, "lengths"_a, "unjudged"_a,
          "Mean and variance of the sum of precisions of each list of independent documents.");

    m.def("relevance_moments", &relevance_moments, "precisions"_a, "p"_a, "offsets"_a, "start"_a,
          "stop"_a, "rank"_a, "document"_a, "weight"_a, "weights"_a, "ranks"_a, "others"_a,
          "beyond"_a, "outside"_a, "factor"_a, "square"_a,
          "Mean and variance of weighted relevance, times a factor [topic, number of relevant "
          "documents], of each list of independent documents.");
    m.def("ideal_shares", &ideal_shares, "chances"_a, "offsets"_a, "gains"_a, "discounts"_a,
          "The mean of each document's gain over that of the best list of its topic.");

    auto scores_doc = "Scores [system, topic * vector] of the lists of some topics under label "
                      "vectors [vector, document].";
    m.def("score_lists", &score_lists<int16_t>, "kernel"_a, "labels"_a, "worth"_a, "counted"_a,
          "levels"_a, "offsets"_a, "first"_a, "start"_a, "stop"_a, "document"_a, "weight"_a,
          scores_doc);
    m.def("score_lists", &score_lists<uint8_t>, "kernel"_a, "labels"_a, "worth"_a, "counted"_a,
          "levels"_a, "offsets"_a, "first"_a, "start"_a, "stop"_a, "document"_a, "weight"_a,
          scores_doc);
    m.def("walk_lists", &walk_lists, "kernel"_a, "worth"_a, "end"_a, "document"_a, "weight"_a,
          "Sums [set, list] of lists for the worth of documents [set, document], and what one more "
          "worth of the document at a place adds [set, place]; one set where that is the same.");
    auto counts_doc = "Documents [topic * vector * grade] of each grade under label vectors [vector, "
                      "document].";
    m.def("grade_counts", &grade_counts<int16_t>, "labels"_a, "offsets"_a, "grades"_a, counts_doc);
    m.def("grade_counts", &grade_counts<uint8_t>, "labels"_a, "offsets"_a, "grades"_a, counts_doc);
    m.def("pair_sums", &pair_sums, "left"_a, "right"_a, "by_rank"_a,
          "Sums [table * left * right] over pairs with j above i in a left row of the sign of j - i "
          "in a right row of the same table; `by_rank` weighs them by the mean of 1/(rank of i - 1).");
    m.def("untied_pairs", &untied_pairs, "values"_a, "How many pairs of items differ [row].");

    m.def("squared_distances", &squared_distances, "left"_a, "right"_a,
          "Squared Euclidean distances [left, right] of the rows of two tables.");
    m.def("kernel_sums", &kernel_sums, "values"_a, "points"_a, "bandwidth"_a,
          "Sums [row, point] of Gaussian kernels around the values of each row, at `points` evenly "
          "spaced points of [0, 1].");

    m.def("row_products", &products_of_rows, "row"_a, "column"_a, "value"_a, "weight"_a, "rows"_a,
          "first"_a, "last"_a,
          "Sums [row from first to last, row * weight] over columns of products of two rows times "
          "weights [column, weight], for the entries of a sparse table; 0 for rows before the first "
          "of the two.");

    m.def("shares_larger", &shares_larger, "values"_a,
          "Shares [row, row] of columns in which one row is larger than the other; equal values "
          "count half.");
    m.def("largest_gaps", &largest_gaps, "values"_a, "units"_a,
          "The largest gap between two rows in each column, divided by units [row, row].");

    m.def("draw_grades", &sweep_grades, "begin"_a, "said"_a, "stratum"_a, "prior"_a, "evidence"_a,
          "uniforms"_a, "drawn"_a, "chances"_a, "in_stratum"_a, "with_vote"_a,
          "Draw the true grade of every document given priors and judges (logarithms); fills "
          "`drawn`, and adds to the last three.");
}

}  // namespace hungjury
