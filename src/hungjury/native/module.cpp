// The Python face of the native code. Everything that takes long releases the GIL.
#include "bindings.h"

namespace nb = nanobind;
using namespace hungjury;

NB_MODULE(_core, m) {
    // Not an error: the command line leaves what is in memory at exit to the system, and other
    // packages may hold on to objects until then. A test turns the warnings on.
    nb::set_leak_warnings(false);
    m.def("warn_of_leaks", [] { nb::set_leak_warnings(true); },
          "Print which objects are left when the interpreter ends.");
#if defined(__clang__)
    m.attr("COMPILER") = "clang " __clang_version__;
#elif defined(__GNUC__)
    m.attr("COMPILER") = "g++ " __VERSION__;
#elif defined(_MSC_VER)
    m.attr("COMPILER") = "MSVC " + std::to_string(_MSC_VER);
#endif
    m.doc() = "Parsing, interning, ranking and joining: the parts of hungjury that touch every line.";

    static PyObject *bad_line = PyErr_NewException("hungjury.native._core.BadLine", nullptr, nullptr);
    m.attr("BadLine") = nb::handle(bad_line);
    nb::register_exception_translator([](const std::exception_ptr &p, void *) {
        try {
            std::rethrow_exception(p);
        } catch (const BadLine &e) {
            PyErr_SetObject(bad_line, nb::make_tuple(e.line, e.code, text(e.what())).ptr());
        }
    });
    bind_reading(m);
    bind_scoring(m);
    bind_judging(m);
    bind_learning(m);
    bind_actions(m);
}
