// Arrays between Python and C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace hungjury {

namespace nb = nanobind;

// The cells and axes of an array that a function is given, for as long as it is called. Arrays of
// nanobind's own type are unpacked anew for every argument of every function, and take long to compile.
template <class T, size_t N> class View {
  public:
    View() = default;
    template <class Array> explicit View(const Array &array)
        : cells(array.data()), number(array.size()) {
        for (size_t i = 0; i < N; ++i) axes[i] = array.shape(i);
    }
    T *data() const { return cells; }
    size_t size() const { return number; }
    size_t shape(size_t axis) const { return axes[axis]; }
    T &operator()(size_t i) const {
        static_assert(N == 1, "with one axis only");
        return cells[i];
    }

  private:
    T *cells = nullptr;
    size_t number = 0;
    size_t axes[N] = {};
};

// Arrays that are read, with one to three axes; and that are written.
template <class T> using Given = View<const T, 1>;
template <class T> using Tabled = View<const T, 2>;
template <class T> using Stacked = View<const T, 3>;
template <class T> using Filled = View<T, 1>;

// An array that is read and held on to, beyond the call or where none may be given.
template <class T> using Kept = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An array that was made here.
template <class T> class Array : public nb::object {
  public:
    static constexpr auto Name = nb::detail::const_name("numpy.ndarray");
    using nb::object::object;
};
using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;

// Moves a vector into a numpy array that owns it.
template <class T> NB_NOINLINE Array<T> array(std::vector<T> values) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    using Made = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
    return nb::steal<Array<T>>(nb::cast(Made(kept->data(), {kept->size()}, owner)).release());
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

// A table to be filled in.
inline Table table(size_t rows, size_t columns) {
    auto *kept = new double[cells({rows, columns})];
    nb::capsule owner(kept, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    return Table(kept, {rows, columns}, owner);
}

}  // namespace hungjury

// One function for each kind of array takes it from Python; the array is held during the call.
template <class T, size_t N> struct nanobind::detail::type_caster<hungjury::View<T, N>> {
    using Shown = hungjury::View<T, N>;
    using Whole = ndarray<T, ndim<N>, c_contig, device::cpu>;
    NB_TYPE_CASTER(Shown, type_caster<Whole>::Name)

    template <class Flags>
    NB_NOINLINE bool from_python(handle source, Flags flags, cleanup_list *cleanup) noexcept {
        type_caster<Whole> caster;
        if (source.is_none() || !caster.from_python(source, flags, cleanup)) return false;
        held = std::move(caster.value);
        value = Shown(held);
        return true;
    }

  private:
    Whole held;
};
