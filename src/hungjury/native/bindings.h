// What all bindings share: checks of arguments, and strings between Python and C++.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "text.h"

namespace hungjury {

namespace nb = nanobind;

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
