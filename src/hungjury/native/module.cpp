// The Python face of the native readers. Everything that takes long releases the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "actions.h"
#include "grades.h"
#include "kernels.h"
#include "labels.h"
#include "lambdas.h"
#include "letor.h"
#include "moments.h"
#include "pairs.h"
#include "runs.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hungjury;

namespace {

template <class T> using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Piece = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Lines64 = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Moves a vector into a numpy array that owns it.
template <class T> Array<T> array(std::vector<T> values) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

nb::str text(Bytes s, const char *errors = "surrogateescape") {
    PyObject *decoded = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), errors);
    if (!decoded) throw nb::python_error();
    return nb::steal<nb::str>(decoded);
}

template <class T> nb::list texts(const T &strings) {
    nb::list out;
    for (size_t i = 0; i < strings.size(); ++i) out.append(text(strings[i]));
    return out;
}

// A borrowed view of a Python string's UTF-8; strings read from files may hold stray bytes.
std::string bytes_of(nb::handle h) {
    nb::object encoded = nb::steal(PyUnicode_AsEncodedString(h.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) throw nb::python_error();
    return std::string(PyBytes_AS_STRING(encoded.ptr()),
                       static_cast<size_t>(PyBytes_GET_SIZE(encoded.ptr())));
}

std::vector<std::string> strings_of(nb::list list) {
    std::vector<std::string> out;
    out.reserve(list.size());
    for (nb::handle h : list) out.push_back(bytes_of(h));
    return out;
}

Bytes view(const Piece &b) { return Bytes(reinterpret_cast<const char *>(b.data()), b.size()); }

Ranking ranking(const std::string &ties, bool single, int64_t depth, int64_t others) {
    Ranking how;
    how.ties = ties == "input" ? Ties::input : ties == "expected" ? Ties::expected : Ties::trec;
    how.single = single;
    how.depth = depth;
    how.others = others;
    return how;
}

// The arrays leave the object: call once.
nb::dict taken(Alignment &a) {
    nb::dict out;
    out["topic"] = array(std::move(a.topic));
    out["length"] = array(std::move(a.length));
    out["end"] = array(std::move(a.end));
    out["rank"] = array(std::move(a.rank));
    out["document"] = array(std::move(a.document));
    out["tie_first"] = array(std::move(a.tie_first));
    out["tie_last"] = array(std::move(a.tie_last));
    out["other_topic"] = array(std::move(a.other_topic));
    out["other_rank"] = array(std::move(a.other_rank));
    out["other_hash"] = array(std::move(a.other_hash));
    out["tied_lists"] = a.tied_lists;
    out["contradicted_lists"] = a.contradicted_lists;
    out["cut_ties"] = a.cut_ties;
    return out;
}

using Ranks = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Chances = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Lengths = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows of `ranks` and `p` are lists; returns mean and variance of each.
nb::tuple precision_sums(Ranks ranks, Chances p, Lengths lengths, double unjudged) {
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

template <class T> using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Vectors = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;

// Lists are entries start .. stop of `document` and `weight`.
std::vector<WeightedList> weighted_lists(const Given<int64_t> &start, const Given<int64_t> &stop,
                                         const Given<int32_t> &document,
                                         const Given<double> &weight, int64_t documents) {
    std::vector<WeightedList> lists;
    auto entries = static_cast<int64_t>(std::min(document.size(), weight.size()));
    for (size_t i = 0; i < std::min(start.size(), stop.size()); ++i) {
        if (start(i) < 0 || stop(i) < start(i) || stop(i) > entries)
            throw std::out_of_range("a list lies outside the entries");
        const int32_t *mine = document.data() + start(i);
        auto size = static_cast<size_t>(stop(i) - start(i));
        for (size_t e = 0; e < size; ++e)
            if (mine[e] < 0 || mine[e] >= documents)
                throw std::out_of_range("a document lies outside its topic");
        lists.push_back({mine, weight.data() + start(i), size});
    }
    return lists;
}

template <class Label>
Table score_lists(const std::string &name, Vectors<Label> labels, Doubles worth, int64_t first,
                  int64_t documents, Given<int64_t> start, Given<int64_t> stop,
                  Given<int32_t> document, Given<double> weight) {
    if (first < 0 || documents < 0 || static_cast<size_t>(first + documents) > labels.shape(1))
        throw std::out_of_range("the topic lies outside the labels");
    auto lists = weighted_lists(start, stop, document, weight, documents);
    LabelVectors<Label> given{labels.data(), labels.shape(0), labels.shape(1),
                              {worth.data(), worth.data() + worth.size()}};
    auto *scores = new double[lists.size() * given.vectors];
    nb::capsule owner(scores, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    {
        nb::gil_scoped_release free;
        score_topic(kernel(name), given, static_cast<size_t>(first), static_cast<size_t>(documents),
                    lists, scores);
    }
    return Table(scores, {lists.size(), given.vectors}, owner);
}

// [left, right]: sums over pairs of every row of one table with every row of the other.
Table cross_pair_sums(Vectors<double> left, Vectors<double> right, bool by_rank) {
    if (left.shape(1) != right.shape(1)) throw std::out_of_range("rows of different length");
    size_t lefts = left.shape(0), rights = right.shape(0);
    auto *sums = new double[lefts * rights];
    nb::capsule owner(sums, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    {
        nb::gil_scoped_release free;
        pair_sums(left.data(), lefts, right.data(), rights, left.shape(1), by_rank, sums);
    }
    return Table(sums, {lefts, rights}, owner);
}

template <class T> using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void sweep_grades(Flat<const int64_t> begin, Flat<const int32_t> said, Flat<const int32_t> stratum,
                  Vectors<double> prior, Vectors<double> evidence, Flat<const double> uniforms,
                  Flat<int8_t> drawn, Flat<double> chances, Flat<int64_t> in_stratum,
                  Flat<int64_t> with_vote) {
    size_t documents = stratum.size(), grades = prior.shape(1);
    if (begin.size() != documents + 1 || uniforms.size() != documents ||
        drawn.size() != documents || chances.size() != documents * grades ||
        evidence.shape(1) != grades || in_stratum.size() != prior.size() ||
        with_vote.size() != evidence.size())
        throw std::out_of_range("arrays of different sizes");
    nb::gil_scoped_release free;
    draw_grades({documents, grades, begin.data(), said.data(), stratum.data()}, prior.data(),
                evidence.data(), uniforms.data(), drawn.data(),
                {chances.data(), in_stratum.data(), with_vote.data()});
}

// Calls work(query, first document, query number) for the queries from `first` up to `last`.
template <class F>
void each_query(const Doubles &scores, const Doubles &gains, const Given<int64_t> &offsets,
                const Vectors<double> &discounts, const Doubles &over_ideal, int64_t first,
                int64_t last, F &&work) {
    auto queries = static_cast<int64_t>(over_ideal.size());
    auto documents = static_cast<int64_t>(scores.size());
    if (first < 0 || last > queries || static_cast<int64_t>(offsets.size()) != queries + 1 ||
        static_cast<int64_t>(discounts.shape(0)) != queries || gains.size() != scores.size())
        throw std::out_of_range("the queries' arrays do not fit together");
    nb::gil_scoped_release free;
    for (int64_t i = first; i < last; ++i) {
        int64_t begin = offsets(i), end = offsets(i + 1);
        if (begin < 0 || end < begin || end > documents)
            throw std::out_of_range("a query lies outside the documents");
        size_t ranks = discounts.shape(1);
        work(ScoredQuery{scores.data() + begin, gains.data() + begin,
                         static_cast<size_t>(end - begin), discounts.data() + i * ranks, ranks,
                         over_ideal(i)},
             begin, i);
    }
}

void add_lambdas(Doubles scores, Doubles gains, Given<int64_t> offsets, Vectors<double> discounts,
                 Doubles over_ideal, int64_t first, int64_t last, Flat<float> gradient,
                 Flat<float> hessian) {
    if (gradient.size() != scores.size() || hessian.size() != scores.size())
        throw std::out_of_range("the results' arrays do not fit the documents");
    RankedQuery ranked;
    each_query(scores, gains, offsets, discounts, over_ideal, first, last,
               [&](const ScoredQuery &q, int64_t begin, int64_t) {
                   ranked.lambdas(q, gradient.data() + begin, hessian.data() + begin);
               });
}

void add_values(Doubles scores, Doubles gains, Given<int64_t> offsets, Vectors<double> discounts,
                Doubles over_ideal, int64_t first, int64_t last, Flat<double> values) {
    if (values.size() != over_ideal.size())
        throw std::out_of_range("the results' array does not fit the queries");
    RankedQuery ranked;
    each_query(scores, gains, offsets, discounts, over_ideal, first, last,
               [&](const ScoredQuery &q, int64_t, int64_t i) { values.data()[i] = ranked.value(q); });
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Parsing, interning, ranking and joining: the parts of hungjury that touch every line.";

    static PyObject *bad_line = PyErr_NewException("hungjury.native._core.BadLine", nullptr, nullptr);
    m.attr("BadLine") = nb::handle(bad_line);
    nb::register_exception_translator([](const std::exception_ptr &p, void *) {
        try {
            std::rethrow_exception(p);
        } catch (const BadLine &e) {
            PyErr_SetObject(bad_line, nb::make_tuple(e.line, text(e.what())).ptr());
        }
    });

    m.def("precision_sums", &precision_sums, "ranks"_a, "p"_a, "lengths"_a, "unjudged"_a,
          "Mean and variance of the sum of precisions of each list of independent documents.");

    auto scores_doc = "Scores [list, vector] of one topic's lists under label vectors "
                      "[vector, document].";
    m.def("score_lists", &score_lists<int16_t>, "kernel"_a, "labels"_a, "worth"_a,
          "first"_a, "documents"_a, "start"_a, "stop"_a, "document"_a, "weight"_a, scores_doc);
    m.def("score_lists", &score_lists<uint8_t>, "kernel"_a, "labels"_a, "worth"_a,
          "first"_a, "documents"_a, "start"_a, "stop"_a, "document"_a, "weight"_a, scores_doc);
    m.def("pair_sums", &cross_pair_sums, "left"_a, "right"_a, "by_rank"_a,
          "Sums [left, right] over pairs with j above i in a left row of the sign of j - i in a "
          "right row; `by_rank` weighs them by the mean of 1/(rank of i - 1).");

    m.def("draw_grades", &sweep_grades, "begin"_a, "said"_a, "stratum"_a, "prior"_a, "evidence"_a,
          "uniforms"_a, "drawn"_a, "chances"_a, "in_stratum"_a, "with_vote"_a,
          "Draw the true grade of every document given priors and judges (logarithms); fills "
          "`drawn`, and adds to the last three.");

    m.def("lambdas", &add_lambdas, "scores"_a, "gains"_a, "offsets"_a, "discounts"_a,
          "over_ideal"_a, "first"_a, "last"_a, "gradient"_a, "hessian"_a,
          "Derivatives of the pairwise cost of the queries first to last, into the given arrays.");
    m.def("ranking_values", &add_values, "scores"_a, "gains"_a, "offsets"_a, "discounts"_a,
          "over_ideal"_a, "first"_a, "last"_a, "values"_a,
          "Weighted gains over the ideal of the queries first to last, means over tied orders.");

    nb::class_<FeatureTable>(m, "FeatureTable", "Rows of features as they stand in LETOR text.")
        .def(nb::init<>())
        .def("feed", [](FeatureTable &t, Piece piece) {
            Bytes b = view(piece);
            nb::gil_scoped_release free;
            t.feed(b);
        }, "piece"_a, "Parse a piece of a LETOR file.")
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

    nb::class_<LabelTable>(m, "LabelTable", "Labels as columns of codes.")
        .def(nb::init<>())
        .def("expect", &LabelTable::expect, "bytes"_a, "Make room for what will be fed.")
        .def("feed", [](LabelTable &t, Piece piece) {
            Bytes b = view(piece);
            nb::gil_scoped_release free;
            t.feed(b);
        }, "piece"_a, "Parse a piece of a TREC qrels file.")
        .def("finish", &LabelTable::finish, "Parse a last line that has no newline.")
        .def("add", [](LabelTable &t, nb::list topics, nb::list iterations, nb::list documents,
                       Doubles labels, Lines64 lines) {
            for (size_t i = 0; i < labels.size(); ++i)
                t.add(bytes_of(topics[i]), bytes_of(iterations[i]), bytes_of(documents[i]),
                      labels(i), static_cast<uint64_t>(lines(i)));
        }, "topics"_a, "iterations"_a, "documents"_a, "labels"_a, "lines"_a,
             "Add rows of a table.")
        .def_prop_ro("topics", [](const LabelTable &t) { return texts(t.ids.topics); })
        .def_prop_ro("iterations", [](const LabelTable &t) { return texts(t.iterations); })
        .def_prop_ro("documents", [](const LabelTable &t) { return texts(t.ids.documents); },
                     "Document id of each (topic, document) pair.")
        .def_prop_ro("rows", [](const LabelTable &t) { return t.label_of.size(); })
        .def("take_columns", [](LabelTable &t) {
            nb::dict out;
            out["pair_topic"] = array(std::move(t.pair_topic));
            out["pair"] = array(std::move(t.pair_of));
            out["iteration"] = array(std::move(t.iteration_of));
            out["label"] = array(std::move(t.label_of));
            out["line"] = array(std::move(t.line_of));
            return out;
        }, "The topic of each pair, and for each row its pair, iteration, label and line; the "
           "columns leave the table: call once.");

    nb::class_<Pool>(m, "Pool", "Judged documents by topic, found by id.")
        .def("__init__", [](Pool *self, nb::list topics, nb::list documents,
                            std::vector<int64_t> offsets) {
            new (self) Pool(strings_of(topics), strings_of(documents), offsets);
        }, "topics"_a, "documents"_a, "offsets"_a)
        .def_static("of_table", [](LabelTable &table, Lines64 topics, Lines64 pairs,
                                   Lines64 offsets) {
            auto copy = [](const Lines64 &a) {
                return std::vector<int64_t>(a.data(), a.data() + a.size());
            };
            Ids ids = std::exchange(table.ids, Ids());
            return std::make_shared<Pool>(std::move(ids), copy(topics), copy(pairs), copy(offsets));
        }, "table"_a, "topics"_a, "pairs"_a, "offsets"_a,
             "The pool of some topics and pairs of a table, by their numbers; the table's ids "
             "become the pool's: call once.")
        .def_prop_ro("documents", [](const Pool &p) { return texts(p.documents()); })
        .def("topic", [](const Pool &p, nb::str name) { return p.topic(bytes_of(name)); }, "name"_a)
        .def("document", [](const Pool &p, int32_t topic, nb::str name) {
            std::string id = bytes_of(name);
            return p.documents_of(topic).find(id, hash_bytes(id));
        }, "topic"_a, "name"_a, "Index among all documents of the pool, or -1.");

    nb::class_<RunStore>(m, "RunStore", "A whole run in memory.")
        .def(nb::init<>())
        .def("feed", [](RunStore &r, Piece piece) {
            Bytes b = view(piece);
            nb::gil_scoped_release free;
            r.feed(b);
        }, "piece"_a, "Parse a piece of a TREC run file.")
        .def("add", [](RunStore &r, nb::list topics, nb::list documents, Doubles scores,
                       Lines64 lines) {
            for (size_t i = 0; i < scores.size(); ++i)
                r.add(bytes_of(topics[i]), bytes_of(documents[i]), scores(i), -1,
                      static_cast<uint64_t>(lines(i)));
        }, "topics"_a, "documents"_a, "scores"_a, "lines"_a, "Add rows of a table.")
        .def("finish", [](RunStore &r) {
            nb::gil_scoped_release free;
            r.finish();
        }, "End of input: look for documents that stand twice in a list.")
        .def("align", [](const RunStore &r, const Pool &pool, const std::string &ties, bool single,
                         int64_t depth, int64_t others) {
            Alignment out(ranking(ties, single, depth, others));
            {
                nb::gil_scoped_release free;
                r.align(pool, out);
            }
            return taken(out);
        }, "pool"_a, "ties"_a, "single"_a, "depth"_a, "others"_a)
        .def("ranked", [](const RunStore &r, nb::str topic, const std::string &ties, bool single) {
            nb::list documents, scores;
            auto t = r.topics.find(bytes_of(topic));
            if (t >= 0) {
                const RankedList &list = r.lists[static_cast<size_t>(t)];
                Sorter sorter;
                for (uint32_t i : sorter.order(list, ranking(ties, single, 0, 0))) {
                    documents.append(text(list.id(i)));
                    scores.append(list[i].score);
                }
            }
            return nb::make_tuple(documents, scores);
        }, "topic"_a, "ties"_a, "single"_a, "Document ids and scores of a topic, best first.")
        .def_prop_ro("topics", [](const RunStore &r) { return texts(r.topics); })
        .def_prop_ro("rows", [](const RunStore &r) {
            size_t n = 0;
            for (const auto &list : r.lists) n += list.size();
            return n;
        })
        .def_prop_ro("tags", [](const RunStore &r) {
            return nb::make_tuple(text(r.tags.first), text(r.tags.second));
        });

    nb::class_<RunStream>(m, "RunStream", "A run aligned to a pool while it is read.")
        .def("__init__", [](RunStream *self, std::shared_ptr<Pool> pool, const std::string &ties,
                            bool single, int64_t depth, int64_t others) {
            new (self) RunStream(std::move(pool), ranking(ties, single, depth, others));
        }, "pool"_a, "ties"_a, "single"_a, "depth"_a, "others"_a)
        .def("feed", [](RunStream &r, Piece piece) {
            Bytes b = view(piece);
            nb::gil_scoped_release free;
            r.feed(b);
        }, "piece"_a)
        .def("finish", [](RunStream &r) {
            nb::gil_scoped_release free;
            r.finish();
        })
        .def("append", &RunStream::append, "next"_a,
             "Take in what another stream has read behind this one in the same file.")
        .def("take", [](RunStream &r) { return taken(r.out); }, "The alignment; call once.")
        .def_ro("interleaved", &RunStream::interleaved)
        .def_ro("rows", &RunStream::rows)
        .def_prop_ro("other_topics", &RunStream::other_topics)
        .def_prop_ro("tags", [](const RunStream &r) {
            return nb::make_tuple(text(r.tags.first), text(r.tags.second));
        });

    nb::class_<ActionLog>(m, "ActionLog", "Clicks of a log of queries and clicks, with their ranks.")
        .def(nb::init<int64_t>(), "first"_a)
        .def("feed", [](ActionLog &a, Piece piece) {
            Bytes b = view(piece);
            nb::gil_scoped_release free;
            a.feed(b);
        }, "piece"_a)
        .def("finish", &ActionLog::finish)
        .def("meet", &ActionLog::meet, "other"_a,
             "Take in the sessions of another part of the log; some may be known already.")
        .def_ro("interleaved", &ActionLog::interleaved)
        .def_prop_ro("rows", [](const ActionLog &a) { return a.rows.kind.size(); })
        .def("queries", [](const ActionLog &a, size_t first) {
            nb::list out;
            for (size_t i = first; i < a.queries.size(); ++i)
                out.append(text(a.queries[i], "replace"));
            return out;
        }, "first"_a, "Names of queries, from one on.")
        .def("take", [](ActionLog &a) {
            nb::dict out;
            out["session"] = array(std::move(a.rows.session));
            out["page"] = array(std::move(a.rows.page));
            out["query"] = array(std::move(a.rows.query));
            out["record"] = array(std::move(a.rows.record));
            out["rank"] = array(std::move(a.rows.rank));
            out["time"] = array(std::move(a.rows.time));
            out["kind"] = array(std::move(a.rows.kind));
            a.rows = ActionRows();
            return out;
        }, "The rows so far, as columns; they leave the log.");
}
