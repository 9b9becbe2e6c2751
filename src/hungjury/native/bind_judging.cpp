// Votes of judges.
#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "em.h"
#include "values.h"
#include "votes.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace hungjury {

namespace {

// Fits each group of documents by itself. `posterior` holds where to start, and then the result.
nb::tuple dawid_skene(Given<int32_t> document, Given<int32_t> judge, Given<int16_t> choice,
                      Given<int64_t> group, int64_t judges, int64_t grades,
                      Filled<double> posterior, double tolerance, int64_t rounds) {
    size_t size = static_cast<size_t>(grades), votes = document.size();
    if (judges < 0 || grades < 1 || judges > INT32_MAX / grades)
        throw std::out_of_range("there must be grades, and at most 2^31 of all judges together");
    check_sizes({{"document", votes}, {"judge", judge.size()}, {"choice", choice.size()}});
    check_sizes({{"posterior", posterior.size()}, {"group times grades", cells({group.size(), size})}});
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

Votes votes_of(const Given<int32_t> &document, const Given<int32_t> &judge, size_t documents,
               size_t judges) {
    check_sizes({{"document", document.size()}, {"judge", judge.size()}});
    check_codes(document, documents, "a vote lies outside the documents or judges");
    check_codes(judge, judges, "a vote lies outside the documents or judges");
    return {document.data(), judge.data(), document.size(), documents, judges};
}

// Choices that lie in the grades; with shares, the lowest one cannot be chosen.
void check_choices(const Given<int16_t> &choice, size_t votes, size_t grades, int16_t least) {
    check_sizes({{"choice", choice.size()}, {"document", votes}});
    for (size_t v = 0; v < votes; ++v)
        if (choice.data()[v] < least || static_cast<size_t>(choice.data()[v]) >= grades)
            throw std::out_of_range("a choice lies outside the grades");
}

bool votes_repeat(Given<int32_t> document, Given<int32_t> judge, size_t documents, size_t judges) {
    Votes given = votes_of(document, judge, documents, judges);
    nb::gil_scoped_release free;
    return any_twice(given);
}

Array<double> moments_with_rest(Given<int32_t> document, Given<int32_t> judge, Given<double> label,
                                double rel, Given<double> weight, Given<int32_t> family,
                                Given<int32_t> topic, size_t topics) {
    Votes given = votes_of(document, judge, topic.size(), weight.size());
    check_sizes({{"label", label.size()}, {"document", given.number}});
    check_sizes({{"family", family.size()}, {"weight", given.judges}});
    check_codes(family, given.judges, "a family that is not there");
    check_codes(topic, topics, "a topic that is not there");
    std::vector<double> moments(cells({given.judges, topics, 6}));
    {
        nb::gil_scoped_release free;
        RestMoments(given, label.data(), rel, weight.data(), topic.data(), topics, moments.data())
            .add_families(family.data());
    }
    return array(std::move(moments));
}

Array<double> votes_by_grade(Given<int32_t> document, Given<int32_t> judge, Given<int16_t> choice,
                             std::optional<Kept<double>> share, Given<double> weight,
                             size_t documents, size_t grades) {
    Votes given = votes_of(document, judge, documents, weight.size());
    check_choices(choice, given.number, grades, share ? 1 : 0);
    if (share) check_sizes({{"share", share->size()}, {"document", given.number}});
    std::vector<double> counts(cells({documents, grades}));
    {
        nb::gil_scoped_release free;
        count_votes(given, choice.data(), share ? share->data() : nullptr, weight.data(), grades,
                    counts.data());
    }
    return array(std::move(counts));
}

nb::tuple judge_pairs(Given<int32_t> document, Given<int32_t> judge, Given<int16_t> choice,
                      size_t documents, size_t judges, size_t grades) {
    Votes given = votes_of(document, judge, documents, judges);
    check_choices(choice, given.number, grades, 0);
    std::vector<double> common(cells({judges, judges})), same(common.size()), chance(common.size());
    {
        nb::gil_scoped_release free;
        agreed(given, choice.data(), grades, {common.data(), same.data(), chance.data()});
    }
    return nb::make_tuple(array(std::move(common)), array(std::move(same)),
                          array(std::move(chance)));
}

nb::tuple values_and_counts(Given<double> values) {
    std::vector<std::pair<double, int64_t>> found;
    {
        nb::gil_scoped_release free;
        found = distinct_values(values.data(), values.size());
    }
    std::vector<double> which;
    std::vector<int64_t> often;
    for (const auto &[value, count] : found) {
        which.push_back(value);
        often.push_back(count);
    }
    return nb::make_tuple(array(std::move(which)), array(std::move(often)));
}

Array<int16_t> grade_places(Given<double> label, Given<int64_t> grades) {
    constexpr int64_t most = int64_t{1} << 53;  // up to here, labels and grades are exactly equal
    const int64_t *first = grades.data(), *end = first + grades.size();
    if (first == end || !std::is_sorted(first, end) || first[0] < -most || end[-1] > most ||
        end[-1] - first[0] > INT16_MAX)
        throw std::out_of_range("grades must ascend within the range of 16 bits");
    std::vector<int16_t> places(label.size());
    {
        nb::gil_scoped_release free;
        places_of(label.data(), label.size(), grades.data(), grades.size(), places.data());
    }
    return array(std::move(places));
}

Array<int64_t> occurrences(Given<int32_t> key, size_t keys) {
    check_codes(key, keys, "a key that is not there");
    std::vector<int64_t> counts(keys);
    count_keys(key.data(), key.size(), counts.data());
    return array(std::move(counts));
}

Array<double> sums_by_key(Given<int32_t> key, Given<int32_t> other, Given<double> value,
                          size_t keys) {
    check_sizes({{"key", key.size()}, {"other", other.size()}});
    check_codes(key, keys, "a key that is not there");
    check_codes(other, value.size(), "a key that is not there");
    std::vector<double> sums(keys);
    sum_by_key(key.data(), other.data(), value.data(), key.size(), sums.data());
    return array(std::move(sums));
}

Array<double> largest_labels(Given<int32_t> judge, Given<double> label, size_t judges) {
    check_sizes({{"judge", judge.size()}, {"label", label.size()}});
    check_codes(judge, judges, "a judge who is not there");
    std::vector<double> largest(judges);
    largest_by_key(judge.data(), label.data(), label.size(), largest.data());
    return array(std::move(largest));
}

}  // namespace

void bind_judging(nb::module_ &m) {
    m.def("dawid_skene", &dawid_skene, "document"_a, "judge"_a, "choice"_a, "group"_a, "judges"_a,
          "grades"_a, "posterior"_a, "tolerance"_a, "rounds"_a,
          "Expectation maximisation in each group of documents, from the posterior "
          "[document * grade] given, which is changed. Returns prior [group * grade], confusion "
          "[unit * label * true grade], log likelihood, rounds and convergence [group], group and "
          "judge [unit].");
    m.def("distinct", &values_and_counts, "values"_a,
          "The different values in ascending order, and how often each occurs.");
    m.def("grade_places", &grade_places, "label"_a, "grades"_a,
          "The place of each label in ascending grades, -1 for labels that are not among them.");
    // np.bincount would copy keys of four bytes to eight, and needs a weight for each.
    m.def("count_keys", &occurrences, "key"_a, "keys"_a, "How often each key occurs.");
    m.def("sum_by_key", &sums_by_key, "key"_a, "other"_a, "value"_a, "keys"_a,
          "For each key, the sum of the values of the other keys in its places.");
    m.def("largest_labels", &largest_labels, "judge"_a, "label"_a, "judges"_a,
          "The largest label of each judge, at least 0.");
    m.def("votes_repeat", &votes_repeat, "document"_a, "judge"_a, "documents"_a, "judges"_a,
          "Whether any judge labelled a document twice.");
    m.def("moments_with_rest", &moments_with_rest, "document"_a, "judge"_a, "label"_a, "rel"_a,
          "weight"_a, "family"_a, "topic"_a, "topics"_a,
          "Moments [judge * topic * 6] of a judge's labels x and the mean labels m of other "
          "families: number, sums of x, m, x^2, m^2, xm. Weight and family are by judge, topic is "
          "by document; rel 0 takes labels as they are.");
    m.def("count_votes", &votes_by_grade, "document"_a, "judge"_a, "choice"_a, "share"_a.none(),
          "weight"_a, "documents"_a, "grades"_a,
          "Weights [document * grade] of the votes for each grade; a share is for the grade "
          "chosen, and its rest for the one below.");
    m.def("judge_pairs", &judge_pairs, "document"_a, "judge"_a, "choice"_a, "documents"_a,
          "judges"_a, "grades"_a,
          "Tables [judge * judge] over documents that both judged: how many, how many with the "
          "same choice, and products of how often each made a choice, summed over choices.");
}

}  // namespace hungjury
