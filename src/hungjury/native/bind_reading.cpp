// Labels, pools and runs.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "labels.h"
#include "plain_table.h"
#include "runs.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

namespace {

std::vector<std::string> strings_of(nb::list list) {
    std::vector<std::string> out;
    out.reserve(list.size());
    for (nb::handle h : list) out.push_back(bytes_of(h));
    return out;
}

Ranking ranking(const std::string &ties, bool single, int64_t depth, int64_t others, bool named) {
    Ranking how;
    how.ties = ties == "input" ? Ties::input : ties == "expected" ? Ties::expected : Ties::trec;
    how.single = single;
    how.depth = depth;
    how.others = others;
    how.named = named;
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
    out["other_id"] = array(std::move(a.other_id));
    out["other_size"] = array(std::move(a.other_size));
    out["tied_lists"] = a.tied_lists;
    out["precision_lists"] = a.precision_lists;
    out["contradicted_lists"] = a.contradicted_lists;
    out["cut_ties"] = a.cut_ties;
    return out;
}

}  // namespace

void bind_reading(nb::module_ &m) {
    nb::class_<LabelTable>(m, "LabelTable", "Labels as columns of codes.")
        .def(nb::init<>())
        .def("expect", &LabelTable::expect, "bytes"_a, "largest"_a,
             "Make room for so many bytes of files, the largest one given.")
        .def("feed", &feed<LabelTable>, "piece"_a, "Parse a piece of a TREC qrels file.")
        .def("finish", &LabelTable::finish, "Parse a last line that has no newline.")
        .def("take_words", &LabelTable::take_words, "Labels may be words, or left out.")
        .def("skip_iterations", &LabelTable::skip_iterations, "Iterations do not name judges.")
        .def_prop_ro("words", [](const LabelTable &t) {
            nb::list out;
            for (const auto &[row, word] : t.words) out.append(nb::make_tuple(row, text(word)));
            return out;
        }, "Row and text of the labels that are not numbers; these are NaN.")
        .def("add", [](LabelTable &t, nb::list topics, nb::list iterations, nb::list documents,
                       Given<double> labels, Given<int64_t> lines) {
            check_sizes({{"labels", labels.size()}, {"topics", topics.size()},
                         {"iterations", iterations.size()}, {"documents", documents.size()},
                         {"lines", lines.size()}});
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
        }, "The topic of each pair, and for each row its pair, iteration (unless skipped), label "
           "and line; the columns leave the table: call once.");

    nb::class_<PlainTable>(m, "PlainTable",
                           "Rows of a separated table without anything unusual in it, for labels.")
        .def("__init__", [](PlainTable *self, LabelTable &labels, const std::string &mark,
                            size_t columns, std::vector<int64_t> places,
                            const std::string &only_topic) {
            for (int64_t place : places)
                if (place >= static_cast<int64_t>(columns))
                    throw std::out_of_range("a column that is not there");
            if (places.size() != 4 || places[2] < 0 || places[3] < 0 || mark.size() != 1)
                throw std::out_of_range("columns for documents and labels, and one delimiter");
            LabelColumns at{places[0], places[1], places[2], places[3]};
            new (self) PlainTable(labels, mark[0], columns, at, only_topic);
        }, "labels"_a, "mark"_a, "columns"_a, "places"_a, "only_topic"_a, nb::keep_alive<1, 2>(),
             "Places are those of topic, judge, document and label, -1 for none.")
        .def("feed", [](PlainTable &t, Given<uint8_t> piece) {
            nb::gil_scoped_release free;
            return t.feed(Bytes(reinterpret_cast<const char *>(piece.data()), piece.size()));
        }, "piece"_a, "Add the rows of a piece; False: there is something unusual in it.")
        .def("finish", &PlainTable::finish, "Add a last row that has no newline.")
        .def("undo", &PlainTable::undo, "Take back all rows.");

    m.def("place_pairs", [](Given<int64_t> order, Given<int32_t> topic_of, Given<int32_t> rows) {
        check_codes(order, order.size(), "a topic that is not there");
        check_codes(topic_of, order.size(), "a topic that is not there");
        check_codes(rows, topic_of.size(), "a pair that is not there");
        Places found = place_pairs({order.data(), order.size()}, topic_of.data(), topic_of.size(),
                                   rows.data(), rows.size());
        return nb::make_tuple(array(std::move(found.pairs)), array(std::move(found.position)),
                              array(std::move(found.counts)));
    }, "order"_a, "topic_of"_a, "rows"_a,
          "The pairs that rows have, by topic in this order; the position of every pair among them, "
          "or -1; and the number of pairs of each topic.");

    nb::class_<Pool>(m, "Pool", "Judged documents by topic, found by id.")
        .def("__init__", [](Pool *self, nb::list topics, nb::list documents,
                            std::vector<int64_t> offsets) {
            check_offsets(offsets, topics.size(), documents.size());
            new (self) Pool(strings_of(topics), strings_of(documents), offsets);
        }, "topics"_a, "documents"_a, "offsets"_a)
        .def_static("of_table", [](LabelTable &table, Given<int64_t> topics, Given<int64_t> pairs,
                                   Given<int64_t> offsets) {
            auto view = [](const Given<int64_t> &a) { return Numbers(a.data(), a.size()); };
            check_codes(topics, table.ids.topics.size(), "a topic that is not there");
            check_codes(pairs, table.ids.documents.size(), "a pair that is not there");
            check_offsets(offsets, topics.size(), pairs.size());
            Ids ids = std::exchange(table.ids, Ids());
            return std::make_shared<Pool>(std::move(ids), view(topics), view(pairs), view(offsets));
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
        .def("feed", &feed<RunStore>, "piece"_a, "Parse a piece of a TREC run file.")
        .def("add", [](RunStore &r, nb::list topics, nb::list documents, Given<double> scores,
                       Given<int64_t> lines) {
            check_sizes({{"scores", scores.size()}, {"topics", topics.size()},
                         {"documents", documents.size()}, {"lines", lines.size()}});
            for (size_t i = 0; i < scores.size(); ++i)
                r.add(bytes_of(topics[i]), bytes_of(documents[i]), scores(i), 0,
                      static_cast<uint64_t>(lines(i)));
        }, "topics"_a, "documents"_a, "scores"_a, "lines"_a, "Add rows of a table.")
        .def("finish", [](RunStore &r) {
            nb::gil_scoped_release free;
            r.finish();
        }, "End of input: look for documents that appear twice in a list.")
        .def("align", [](const RunStore &r, const Pool &pool, const std::string &ties, bool single,
                         int64_t depth, int64_t others, bool named) {
            Alignment out(ranking(ties, single, depth, others, named));
            {
                nb::gil_scoped_release free;
                r.align(pool, out);
            }
            return taken(out);
        }, "pool"_a, "ties"_a, "single"_a, "depth"_a, "others"_a, "named"_a)
        .def("ranked", [](const RunStore &r, nb::str topic, const std::string &ties, bool single) {
            nb::list documents, scores;
            auto t = r.topics.find(bytes_of(topic));
            if (t >= 0) {
                const RankedList &list = r.lists[static_cast<size_t>(t)];
                Sorter sorter;
                for (uint32_t i : sorter.order(list, ranking(ties, single, 0, 0, false))) {
                    documents.append(text(list.id(i)));
                    scores.append(list[i].score);
                }
            }
            return nb::make_tuple(documents, scores);
        }, "topic"_a, "ties"_a, "single"_a, "Document ids and scores of a topic, best first.")
        .def("__getstate__", [](const RunStore &r) {
            nb::list documents;
            std::vector<int64_t> sizes;
            std::vector<double> scores;
            std::vector<int32_t> ranks;
            for (const RankedList &list : r.lists) {
                sizes.push_back(static_cast<int64_t>(list.size()));
                for (size_t i = 0; i < list.size(); ++i) {
                    documents.append(text(list.id(i)));
                    scores.push_back(list[i].score);
                    ranks.push_back(list[i].rank);
                }
            }
            return nb::make_tuple(texts(r.topics), documents, array(std::move(sizes)),
                                  array(std::move(scores)), array(std::move(ranks)),
                                  text(r.tags.first), text(r.tags.second));
        })
        .def("__setstate__", [](RunStore &r, const nb::tuple &state) {
            check_sizes({{"state", state.size()}, {"parts", 7}});
            auto topics = nb::cast<nb::list>(state[0]), documents = nb::cast<nb::list>(state[1]);
            auto sizes = nb::cast<Kept<int64_t>>(state[2]);
            auto scores = nb::cast<Kept<double>>(state[3]);
            auto ranks = nb::cast<Kept<int32_t>>(state[4]);
            check_sizes({{"topics", topics.size()}, {"sizes", sizes.size()}});
            check_sizes({{"documents", documents.size()}, {"scores", scores.size()},
                         {"ranks", ranks.size()}});
            RunStore made;
            uint64_t row = 0;
            for (size_t t = 0; t < topics.size(); ++t) {
                std::string topic = bytes_of(topics[t]);
                if (sizes(t) < 0 || static_cast<uint64_t>(sizes(t)) > documents.size() - row)
                    throw std::out_of_range("a list lies outside the documents");
                for (int64_t i = 0; i < sizes(t); ++i, ++row)
                    made.add(topic, bytes_of(documents[row]), scores(row), ranks(row), row + 1);
            }
            made.tags.first = bytes_of(state[5]);
            made.tags.second = bytes_of(state[6]);
            made.finish();
            new (&r) RunStore(std::move(made));
        })
        .def_prop_ro("topics", [](const RunStore &r) { return texts(r.topics); })
        .def_prop_ro("rows", [](const RunStore &r) {
            size_t n = 0;
            for (const auto &list : r.lists) n += list.size();
            return n;
        })
        .def_prop_ro("tags", [](const RunStore &r) {
            return nb::make_tuple(text(r.tags.first), text(r.tags.second));
        });

    m.def("narrow_list_ids", [](nb::list ids) {
        ListOf<uint8_t> list;
        for (size_t i = 0; i < ids.size(); ++i) list.add(bytes_of(ids[i]), 0, 0, i + 1);
        nb::list out;
        for (size_t i = 0; i < list.size(); ++i) out.append(text(list.id(i)));
        return out;
    }, "ids"_a, "For tests: the ids of a ranked list whose offsets have 8 bits instead of 64.");

    nb::class_<RunStream>(m, "RunStream", "A run aligned to a pool while it is read.")
        .def("__init__", [](RunStream *self, std::shared_ptr<Pool> pool, const std::string &ties,
                            bool single, int64_t depth, int64_t others, bool named) {
            new (self) RunStream(std::move(pool), ranking(ties, single, depth, others, named));
        }, "pool"_a, "ties"_a, "single"_a, "depth"_a, "others"_a, "named"_a)
        .def("feed", &feed<RunStream>, "piece"_a)
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
}

}  // namespace hungjury
