// One sweep of a Gibbs sampler over documents: draw each true grade given what judges said.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hungjury {

// Votes by document: those of document d are said[begin[d]] to said[begin[d + 1] - 1]. A vote is a
// code, judge * grades + label.
struct GradeVotes {
    size_t documents, grades;
    const int64_t *begin;
    const int32_t *said;
    const int32_t *stratum;  // of each document
};

// What a sweep adds to.
struct GradeSums {
    double *chances;      // [document, grade]: the probabilities drawn from
    int64_t *in_stratum;  // [stratum, grade]: how many were drawn
    int64_t *with_vote;   // [vote code, grade]
};

// prior [stratum, grade] and evidence [vote code, grade] are logarithms; uniforms [document] in
// [0, 1) decide which grade it is.
inline void draw_grades(const GradeVotes &votes, const double *prior, const double *evidence,
                        const double *uniforms, int8_t *drawn, const GradeSums &sums) {
    size_t grades = votes.grades;
    std::vector<double> chance(grades);
    for (size_t d = 0; d < votes.documents; ++d) {
        size_t stratum = static_cast<size_t>(votes.stratum[d]) * grades;
        std::copy_n(prior + stratum, grades, chance.begin());
        for (int64_t v = votes.begin[d]; v < votes.begin[d + 1]; ++v) {
            const double *row = evidence + static_cast<size_t>(votes.said[v]) * grades;
            for (size_t g = 0; g < grades; ++g) chance[g] += row[g];
        }
        double top = *std::max_element(chance.begin(), chance.end()), total = 0;
        for (double &c : chance) total += c = std::exp(c - top);
        size_t grade = 0;
        double left = uniforms[d] * total;
        while (grade + 1 < grades && left >= chance[grade]) left -= chance[grade++];
        for (size_t g = 0; g < grades; ++g) sums.chances[d * grades + g] += chance[g] / total;
        drawn[d] = static_cast<int8_t>(grade);
        ++sums.in_stratum[stratum + grade];
        for (int64_t v = votes.begin[d]; v < votes.begin[d + 1]; ++v)
            ++sums.with_vote[static_cast<size_t>(votes.said[v]) * grades + grade];
    }
}

}  // namespace hungjury
