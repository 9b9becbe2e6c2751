// Votes of judges.
#include "bindings.h"
#include "em.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

namespace {

// Fits each group of documents by itself. `posterior` holds where to start, and then the result.
nb::tuple dawid_skene(Given<int32_t> document, Given<int32_t> judge, Given<int64_t> choice,
                      Given<int64_t> group, int64_t judges, int64_t grades,
                      Filled<double> posterior, double tolerance, int64_t rounds) {
    size_t size = static_cast<size_t>(grades), votes = document.size();
    if (judges < 0 || grades < 1 || judges * grades > INT32_MAX || judge.size() != votes ||
        choice.size() != votes || posterior.size() != group.size() * size)
        throw std::out_of_range("arrays of different sizes");
    std::vector<double> prior, confusion, log_likelihood;
    std::vector<int64_t> taken, unit_group, unit_judge;
    std::vector<uint8_t> converged;
    {
        nb::gil_scoped_release free;
        GroupedVotes all(document.data(), judge.data(), choice.data(), votes, group.data(),
                         group.size(), static_cast<size_t>(judges), size);
        prior.resize(all.groups() * size);
        std::vector<int64_t> units;
        for (size_t g = 0; g < all.groups(); ++g) {
            Ballots mine = all.of(g, units);
            size_t before = confusion.size();
            confusion.resize(before + units.size() * size * size);
            Fitted found{prior.data() + g * size, confusion.data() + before, 0, 0, false};
            fit_ballots(mine, size, posterior.data() + all.first(g) * size, tolerance, rounds, found);
            log_likelihood.push_back(found.log_likelihood);
            taken.push_back(found.rounds);
            converged.push_back(found.converged);
            unit_judge.insert(unit_judge.end(), units.begin(), units.end());
            unit_group.resize(unit_judge.size(), static_cast<int64_t>(g));
        }
    }
    return nb::make_tuple(array(std::move(prior)), array(std::move(confusion)),
                          array(std::move(log_likelihood)), array(std::move(taken)),
                          array(std::move(converged)), array(std::move(unit_group)),
                          array(std::move(unit_judge)));
}

}  // namespace

void bind_judging(nb::module_ &m) {
    m.def("dawid_skene", &dawid_skene, "document"_a, "judge"_a, "choice"_a, "group"_a, "judges"_a,
          "grades"_a, "posterior"_a, "tolerance"_a, "rounds"_a,
          "Expectation maximisation in each group of documents, from the posterior "
          "[document * grade] given, which is changed. Returns prior [group * grade], confusion "
          "[unit * label * true grade], log likelihood, rounds and convergence [group], group and "
          "judge [unit].");
}

}  // namespace hungjury
