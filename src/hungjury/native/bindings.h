// What all bindings share: arrays and strings between Python and C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
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

// Bindings check what they are given before they touch memory: the code behind them does not.

// Arrays and lists that belong together have the same size. All of them are named for the message.
struct Sized {
    const char *name;
    size_t size;
};
inline void check_sizes(std::initializer_list<Sized> together) {
    const Sized &first = *together.begin();
    for (const Sized &other : together)
        if (other.size != first.size)
            throw std::out_of_range("arrays of different sizes: " + std::string(first.name) + " " +
                                    std::to_string(first.size) + ", " + other.name + " " +
                                    std::to_string(other.size));
}

// Codes are places in something that has `count` entries. Without a branch, many codes at once: the
// sign of `code | last - code` is set where a code is negative or above the last one.
template <class T> void check_codes(const Given<T> &codes, size_t count, const char *otherwise) {
    using Bits = std::make_unsigned_t<T>;
    constexpr auto top = static_cast<size_t>(std::numeric_limits<T>::max());
    const auto last = static_cast<Bits>(std::min(count, top + 1) - 1);
    const T *end = codes.data() + codes.size();
    Bits signs = 0;
    for (const T *code = codes.data(); code < end; ++code)
        signs |= static_cast<Bits>(*code) | (last - static_cast<Bits>(*code));
    if (signs >> std::numeric_limits<T>::digits) throw std::out_of_range(otherwise);
}

// Part i of `parts` lies between offsets i and i + 1; together they are the whole.
template <class Offsets>
void check_offsets(const Offsets &offsets, size_t parts, size_t whole) {
    check_sizes({{"offsets", offsets.size()}, {"parts and one more", parts + 1}});
    const auto *first = offsets.data();
    bool ascending = first[0] == 0 && first[parts] == static_cast<int64_t>(whole);
    for (size_t i = 0; i < parts; ++i) ascending &= first[i] <= first[i + 1];
    if (!ascending)
        throw std::out_of_range("offsets must ascend from 0 to " + std::to_string(whole));
}

// The number of cells of a table, which is refused where it cannot be counted.
inline size_t cells(std::initializer_list<size_t> axes) {
    size_t all = 1;
    for (size_t axis : axes) {
        if (axis && all > SIZE_MAX / sizeof(double) / axis)
            throw std::length_error("the table is too large");
        all *= axis;
    }
    return all;
}

// Moves a vector into a numpy array that owns it.
template <class T> Array<T> array(std::vector<T> values) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

// A table to be filled in.
inline Table table(size_t rows, size_t columns) {
    auto *kept = new double[cells({rows, columns})];
    nb::capsule owner(kept, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    return Table(kept, {rows, columns}, owner);
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
