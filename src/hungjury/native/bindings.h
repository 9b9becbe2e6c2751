// What all bindings share: arrays and strings between Python and C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <vector>

#include "text.h"

namespace hungjury {

namespace nb = nanobind;

// Arrays that are read, with one to three axes; that are written; and that are made here.
template <class T> using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Tabled = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Stacked = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T> using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;

// Is any value below 0, or not below a number?
template <class T> bool outside(const T *values, size_t number, size_t below) {
    return std::any_of(values, values + number, [below](T v) {
        return v < 0 || static_cast<size_t>(v) >= below;
    });
}

// Moves a vector into a numpy array that owns it.
template <class T> Array<T> array(std::vector<T> values) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

inline nb::str text(Bytes s, const char *errors = "surrogateescape") {
    PyObject *decoded = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), errors);
    if (!decoded) throw nb::python_error();
    return nb::steal<nb::str>(decoded);
}

template <class T> nb::list texts(const T &strings) {
    nb::list out;
    for (size_t i = 0; i < strings.size(); ++i) out.append(text(strings[i]));
    return out;
}

// A Python string as UTF-8; one that was read from a file may hold stray bytes.
inline std::string bytes_of(nb::handle h) {
    nb::object encoded = nb::steal(PyUnicode_AsEncodedString(h.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) throw nb::python_error();
    return std::string(PyBytes_AsString(encoded.ptr()),
                       static_cast<size_t>(PyBytes_Size(encoded.ptr())));
}

// Pushes a piece of text into a parser, while Python does other things.
template <class Parser> void feed(Parser &parser, Given<uint8_t> piece) {
    Bytes bytes(reinterpret_cast<const char *>(piece.data()), piece.size());
    nb::gil_scoped_release free;
    parser.feed(bytes);
}

void bind_reading(nb::module_ &m);   // labels, pools, runs
void bind_scoring(nb::module_ &m);   // lists under many labels, draws
void bind_judging(nb::module_ &m);   // votes of judges
void bind_learning(nb::module_ &m);  // features, derivatives
void bind_actions(nb::module_ &m);   // logs of clicks

}  // namespace hungjury
