// Features and derivatives for training rankers.
#include "bindings.h"
#include "lambdas.h"
#include "letor.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

namespace {

// Calls work(query, first document, query number) for the queries from `first` up to `last`.
template <class F>
void each_query(const Given<double> &scores, const Given<double> &gains,
                const Given<int64_t> &offsets, const Tabled<double> &discounts,
                const Given<double> &over_ideal, int64_t first, int64_t last, F &&work) {
    check_sizes({{"scores", scores.size()}, {"gains", gains.size()}});
    check_sizes({{"over_ideal", over_ideal.size()}, {"discounts", discounts.shape(0)}});
    check_offsets(offsets, over_ideal.size(), scores.size());
    if (first < 0 || last > static_cast<int64_t>(over_ideal.size()))
        throw std::out_of_range("a query that is not there");
    nb::gil_scoped_release free;
    for (int64_t i = first; i < last; ++i) {
        int64_t begin = offsets(i), end = offsets(i + 1);
        size_t ranks = discounts.shape(1);
        work(ScoredQuery{scores.data() + begin, gains.data() + begin,
                         static_cast<size_t>(end - begin), discounts.data() + i * ranks, ranks,
                         over_ideal(i)},
             begin, i);
    }
}

void add_lambdas(Given<double> scores, Given<double> gains, Given<int64_t> offsets,
                 Tabled<double> discounts, Given<double> over_ideal, int64_t first, int64_t last,
                 Filled<float> gradient, Filled<float> hessian) {
    check_sizes({{"scores", scores.size()}, {"gradient", gradient.size()}, {"hessian", hessian.size()}});
    RankedQuery ranked;
    each_query(scores, gains, offsets, discounts, over_ideal, first, last,
               [&](const ScoredQuery &q, int64_t begin, int64_t) {
                   ranked.lambdas(q, gradient.data() + begin, hessian.data() + begin);
               });
}

void add_values(Given<double> scores, Given<double> gains, Given<int64_t> offsets,
                Tabled<double> discounts, Given<double> over_ideal, int64_t first, int64_t last,
                Filled<double> values) {
    check_sizes({{"over_ideal", over_ideal.size()}, {"values", values.size()}});
    RankedQuery ranked;
    each_query(scores, gains, offsets, discounts, over_ideal, first, last,
               [&](const ScoredQuery &q, int64_t, int64_t i) { values.data()[i] = ranked.value(q); });
}

}  // namespace

void bind_learning(nb::module_ &m) {
    m.def("lambdas", &add_lambdas, "scores"_a, "gains"_a, "offsets"_a, "discounts"_a,
          "over_ideal"_a, "first"_a, "last"_a, "gradient"_a, "hessian"_a,
          "Derivatives of the pairwise cost of the queries first to last, into the given arrays.");
    m.def("ranking_values", &add_values, "scores"_a, "gains"_a, "offsets"_a, "discounts"_a,
          "over_ideal"_a, "first"_a, "last"_a, "values"_a,
          "Weighted gains over the ideal of the queries first to last, means over tied orders.");

    nb::class_<FeatureTable>(m, "FeatureTable", "Rows of features, read from LETOR text.")
        .def(nb::init<>())
        .def("feed", &feed<FeatureTable>, "piece"_a, "Parse a piece of a LETOR file.")
        .def("finish", &FeatureTable::finish, "Parse a last line that has no newline.")
        .def_prop_ro("rows", [](const FeatureTable &t) { return t.labels.size(); })
        .def_ro("width", &FeatureTable::width)
        .def_prop_ro("queries", [](const FeatureTable &t) { return texts(t.queries); })
        .def_prop_ro("documents", [](const FeatureTable &t) { return texts(t.documents); })
        .def("take", [](FeatureTable &t) {
            nb::dict out;
            out["cells"] = array(t.take());
            out["labels"] = array(std::move(t.labels));
            out["starts"] = array(std::move(t.starts));
            out["lines"] = array(std::move(t.row_lines));
            return out;
        }, "The cells row by row, labels, first row of each query, line of each row; call once.");
}

}  // namespace hungjury
