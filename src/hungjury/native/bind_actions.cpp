// Logs of clicks.
#include "actions.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

void bind_actions(nb::module_ &m) {
    nb::class_<ActionLog>(m, "ActionLog", "Clicks of a log of queries and clicks, with their ranks.")
        .def(nb::init<int64_t>(), "first"_a)
        .def("judge", [](ActionLog &a, nb::str query, nb::list documents) {
            a.judge(bytes_of(query), {});
            for (nb::handle one : documents) a.judge(bytes_of(query), bytes_of(nb::cast<nb::str>(one)));
        }, "query"_a, "documents"_a, "Name the relevant documents of a query, before any line is fed.")
        .def("feed", &feed<ActionLog>, "piece"_a)
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
            out["relevant"] = array(std::move(a.rows.relevant));
            out["time"] = array(std::move(a.rows.time));
            out["kind"] = array(std::move(a.rows.kind));
            a.rows = ActionRows();
            return out;
        }, "The rows so far, as columns; they leave the log.");
}

}  // namespace hungjury
