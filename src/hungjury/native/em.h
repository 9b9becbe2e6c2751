// Expectation maximisation for judges with confusion matrices (Dawid and Skene 1979).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hungjury {

constexpr double kLeastChance = 1e-6;  // no probability is nearer to 0 or 1
constexpr double kUnusedShare = 0.01;  // share of the votes below which a class keeps its place

inline double clipped(double chance) {
    return std::min(std::max(chance, kLeastChance), 1 - kLeastChance);
}

// The votes on some documents, which are fitted together. A unit is one of their judges.
struct Ballots {
    size_t documents, units;
    const int64_t *begin;  // [document + 1]
    const int32_t *vote;   // unit * grades + label, document by document
};

// What is learned from them.
struct Fitted {
    double *prior;      // [true grade]
    double *confusion;  // [unit, label, true grade]
    double log_likelihood;
    int64_t rounds;
    bool converged;
};

// Nothing in the likelihood says which class is which grade: classes are put in the order of the labels
// that they get on average, from sums of votes and of labels [class]. Ties keep their places, and so do
// classes that hardly any document has: their mean label says nothing.
inline std::vector<size_t> order_of_classes(const std::vector<double> &votes,
                                            std::vector<double> label) {
    double all = std::accumulate(votes.begin(), votes.end(), 0.0);
    std::vector<size_t> order(votes.size()), places;
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t g = 0; g < votes.size(); ++g) {
        label[g] = std::nearbyint(label[g] / std::max(votes[g], 1e-300) * 1e9) / 1e9;
        if (votes[g] > kUnusedShare * all) places.push_back(g);
    }
    std::vector<size_t> sorted = places;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](size_t a, size_t b) { return label[a] < label[b]; });
    for (size_t i = 0; i < places.size(); ++i) order[places[i]] = sorted[i];
    return order;
}

// Every round makes prior and confusion matrices from the posterior, and the posterior from these.
// A document's share in the next matrices is added as soon as its posterior is known: its votes are
// read once a round. `Size` is the number of grades, or 0 where it is not known when compiling.
template <size_t Size> class DawidSkene {
  public:
    // posterior [document, grade]: where to start, and then the result
    DawidSkene(Ballots given, size_t grades, double *posterior)
        : given_(given), grades_(grades), posterior_(posterior), mass_(grades), log_prior_(grades),
          counts_(given.units * grades * grades), log_confusion_(counts_.size()), joint_(grades) {}

    void fit(double tolerance, int64_t most, Fitted &out) {
        for (size_t i = 0; i < given_.documents * size(); ++i) posterior_[i] = clipped(posterior_[i]);
        for (size_t d = 0; d < given_.documents; ++d) tally(d);
        out.converged = false;
        for (out.rounds = 1;; ++out.rounds) {
            maximise(out);
            double change = 0;
            for (size_t d = 0; d < given_.documents; ++d) {
                change = std::max(change, expect(d));
                tally(d);
            }
            out.converged = change < tolerance;
            if (out.converged || out.rounds >= most) break;
        }
        out.log_likelihood = 0;
        for (size_t d = 0; d < given_.documents; ++d) out.log_likelihood += evidence(d);
    }

  private:
    size_t size() const { return Size ? Size : grades_; }

    void tally(size_t document) {
        const double *mine = posterior_ + document * size();
        for (size_t g = 0; g < size(); ++g) mass_[g] += mine[g];
        for (int64_t v = given_.begin[document]; v < given_.begin[document + 1]; ++v) {
            double *cell = counts_.data() + static_cast<size_t>(given_.vote[v]) * size();
            for (size_t g = 0; g < size(); ++g) cell[g] += mine[g];
        }
    }

    // Priors and confusion matrices from the tallies, which are then reset.
    void maximise(Fitted &out) {
        std::vector<size_t> order = classes();
        for (size_t g = 0; g < size(); ++g) {
            out.prior[g] = clipped(mass_[order[g]] / static_cast<double>(given_.documents));
            log_prior_[g] = std::log(out.prior[g]);
        }
        for (size_t unit = 0; unit < given_.units; ++unit) {
            size_t first = unit * size() * size();
            for (size_t g = 0; g < size(); ++g) {
                double total = 0;
                for (size_t l = 0; l < size(); ++l) total += counts_[first + l * size() + order[g]];
                for (size_t l = 0; l < size(); ++l) {
                    size_t cell = first + l * size();
                    out.confusion[cell + g] = clipped(counts_[cell + order[g]] / total);
                    log_confusion_[cell + g] = std::log(out.confusion[cell + g]);
                }
            }
        }
        std::fill(mass_.begin(), mass_.end(), 0.0);
        std::fill(counts_.begin(), counts_.end(), 0.0);
    }

    std::vector<size_t> classes() const {
        std::vector<double> votes(size()), label(size());
        for (size_t row = 0; row < given_.units * size(); ++row)
            for (size_t g = 0; g < size(); ++g) {
                votes[g] += counts_[row * size() + g];
                label[g] += static_cast<double>(row % size()) * counts_[row * size() + g];
            }
        return order_of_classes(votes, std::move(label));
    }

    // log P(votes, grade) up to the largest, which is returned.
    double weigh(size_t document) {
        for (size_t g = 0; g < size(); ++g) joint_[g] = log_prior_[g];
        for (int64_t v = given_.begin[document]; v < given_.begin[document + 1]; ++v) {
            const double *cell = log_confusion_.data() + static_cast<size_t>(given_.vote[v]) * size();
            for (size_t g = 0; g < size(); ++g) joint_[g] += cell[g];
        }
        double largest = *std::max_element(joint_.begin(), joint_.end());
        for (size_t g = 0; g < size(); ++g) joint_[g] -= largest;
        return largest;
    }

    // The posterior of a document; returns by how much it changed.
    double expect(size_t document) {
        weigh(document);
        double total = 0, change = 0;
        for (size_t g = 0; g < size(); ++g) total += joint_[g] = std::exp(joint_[g]);
        double *mine = posterior_ + document * size();
        for (size_t g = 0; g < size(); ++g) {
            double now = clipped(joint_[g] / total);
            change = std::max(change, std::abs(now - mine[g]));
            mine[g] = now;
        }
        return change;
    }

    // log P(votes)
    double evidence(size_t document) {
        double largest = weigh(document), total = 0;
        for (size_t g = 0; g < size(); ++g) total += std::exp(joint_[g]);
        return largest + std::log(total);
    }

    Ballots given_;
    size_t grades_;
    double *posterior_;
    std::vector<double> mass_, log_prior_, counts_, log_confusion_, joint_;
};

inline void fit_ballots(Ballots given, size_t grades, double *posterior, double tolerance,
                        int64_t most, Fitted &out) {
    switch (grades) {
        case 2: return DawidSkene<2>(given, grades, posterior).fit(tolerance, most, out);
        case 3: return DawidSkene<3>(given, grades, posterior).fit(tolerance, most, out);
        case 4: return DawidSkene<4>(given, grades, posterior).fit(tolerance, most, out);
        case 5: return DawidSkene<5>(given, grades, posterior).fit(tolerance, most, out);
        default: DawidSkene<0>(given, grades, posterior).fit(tolerance, most, out);
    }
}

// Votes in rows, sorted by document; documents are in groups, which are fitted one by one.
class GroupedVotes {
  public:
    GroupedVotes(const int32_t *document, const int32_t *judge, const int16_t *choice, size_t votes,
                 const int64_t *group, size_t documents, size_t judges, size_t grades)
        : grades_(static_cast<int32_t>(grades)), begin_(documents + 1), vote_(votes),
          place_(judges, -1) {
        for (size_t v = 0; v < votes; ++v) {
            bool fits = document[v] >= 0 && static_cast<size_t>(document[v]) < documents &&
                        judge[v] >= 0 && static_cast<size_t>(judge[v]) < judges && choice[v] >= 0 &&
                        static_cast<size_t>(choice[v]) < grades;
            if (!fits) throw std::out_of_range("a vote lies outside the documents, judges or grades");
            ++begin_[static_cast<size_t>(document[v]) + 1];
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        std::vector<int64_t> next(begin_.begin(), begin_.end() - 1);
        for (size_t v = 0; v < votes; ++v) {
            auto to = static_cast<size_t>(next[static_cast<size_t>(document[v])]++);
            vote_[to] = judge[v] * grades_ + choice[v];
        }
        for (size_t d = 0; d < documents; ++d) {
            if (d && group[d] < group[d - 1]) throw std::out_of_range("groups are not in order");
            if (!d || group[d] != group[d - 1]) first_.push_back(d);
        }
        first_.push_back(documents);
    }

    size_t groups() const { return first_.size() - 1; }
    size_t first(size_t group) const { return first_[group]; }

    // The votes of a group; `judges` are its units, in order.
    Ballots of(size_t group, std::vector<int64_t> &judges) {
        judges.clear();
        auto from = static_cast<size_t>(begin_[first_[group]]);
        auto to = static_cast<size_t>(begin_[first_[group + 1]]);
        for (size_t v = from; v < to; ++v)
            if (int32_t &place = place_of(v); place < 0) {
                place = 0;
                judges.push_back(vote_[v] / grades_);
            }
        std::sort(judges.begin(), judges.end());
        for (size_t unit = 0; unit < judges.size(); ++unit)
            place_[static_cast<size_t>(judges[unit])] = static_cast<int32_t>(unit);
        for (size_t v = from; v < to; ++v)  // from now on the vote of a unit
            vote_[v] = place_of(v) * grades_ + vote_[v] % grades_;
        for (int64_t judge : judges) place_[static_cast<size_t>(judge)] = -1;
        return {first_[group + 1] - first_[group], judges.size(), begin_.data() + first_[group],
                vote_.data()};
    }

  private:
    int32_t &place_of(size_t vote) { return place_[static_cast<size_t>(vote_[vote] / grades_)]; }

    int32_t grades_;
    std::vector<int64_t> begin_;          // [document + 1]
    std::vector<int32_t> vote_;           // judge * grades + label
    std::vector<int32_t> place_;          // [judge]: among those of a group
    std::vector<size_t> first_;  // document of each group
};

}  // namespace hungjury
