// What votes of judges add up to. No judge votes twice on a document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bits.h"
#include "products.h"

namespace hungjury {

struct Votes {
    const int32_t *document, *judge;
    size_t number, documents, judges;
};

// Is there a document with two labels of one judge?
inline bool any_twice(const Votes &given) {
    std::vector<int32_t> latest(given.judges, -1);  // the document each judge was met on last
    bool ascending = true;  // as where judges labelled the same documents in the same order
    for (size_t v = 0; ascending && v < given.number; ++v) {
        int32_t &before = latest[static_cast<size_t>(given.judge[v])];
        ascending = before < given.document[v];
        before = given.document[v];
    }
    if (ascending) return false;
    std::fill(latest.begin(), latest.end(), -1);
    ByKey by_document(given.document, given.number, given.documents);
    for (uint32_t vote : by_document.entry) {
        int32_t &before = latest[static_cast<size_t>(given.judge[vote])];
        if (before == given.document[vote]) return true;
        before = given.document[vote];
    }
    return false;
}

// For every judge and topic, of the labels x that the judge gave and the mean labels m that other
// families gave the same documents: number, sums of x, m, x², m² and xm. A family counts as much as
// the weights of those of its judges who labelled the document.
class RestMoments {
  public:
    // Labels below 0 do not count. If `rel` is above 0, labels from it on count as 1, others as 0.
    RestMoments(const Votes &given, const double *label, double rel, const double *weight,
                const int32_t *topic, size_t topics, double *out)
        : given_(given), label_(label), rel_(rel), weight_(weight), topic_(topic), topics_(topics),
          out_(out), all_(given.documents) {
        for (size_t v = 0; v < given.number; ++v) add(v, all_);
    }

    // family: [judge]. Votes of families of one are taken as they come, those of others together.
    void add_families(const int32_t *family) {
        std::vector<std::vector<size_t>> members(given_.judges);
        for (size_t judge = 0; judge < given_.judges; ++judge)
            members[static_cast<size_t>(family[judge])].push_back(judge);
        bool alone = true;
        for (const auto &judges : members) alone &= judges.size() <= 1;
        for (size_t v = 0; v < given_.number; ++v)
            if (members[static_cast<size_t>(family[given_.judge[v]])].size() == 1)
                tally(v, sum_of(v));
        if (alone) return;
        ByKey by_judge(given_.judge, given_.number, given_.judges);
        std::vector<Sum> own(given_.documents);
        for (const auto &judges : members) {
            if (judges.size() < 2) continue;
            auto each = [&](auto &&visit) {
                for (size_t judge : judges)
                    for (size_t i = by_judge.begin[judge]; i < by_judge.begin[judge + 1]; ++i)
                        visit(by_judge.entry[i]);
            };
            each([&](size_t v) { add(v, own); });
            each([&](size_t v) { tally(v, own[document(v)]); });
            each([&](size_t v) { own[document(v)] = Sum(); });
        }
    }

  private:
    struct Sum {
        double votes = 0, labels = 0;
    };
    size_t document(size_t vote) const { return static_cast<size_t>(given_.document[vote]); }
    double value(size_t vote) const {
        return rel_ > 0 ? (label_[vote] >= rel_ ? 1.0 : 0.0) : label_[vote];
    }
    Sum sum_of(size_t vote) const {
        double weight = weight_[given_.judge[vote]];
        return {weight, weight * value(vote)};
    }
    void add(size_t vote, std::vector<Sum> &sums) const {
        if (label_[vote] < 0) return;
        Sum one = sum_of(vote), &sum = sums[document(vote)];
        sum.votes += one.votes;
        sum.labels += one.labels;
    }
    // own: what the judge's family gave the document.
    void tally(size_t vote, Sum own) {
        const Sum &all = all_[document(vote)];
        double votes = all.votes - own.votes;
        if (label_[vote] < 0 || votes <= 1e-9) return;  // none but by rounding
        double x = value(vote), m = (all.labels - own.labels) / votes;
        auto judge = static_cast<size_t>(given_.judge[vote]);
        double *cell = out_ + (judge * topics_ + static_cast<size_t>(topic_[document(vote)])) * 6;
        const double terms[] = {1, x, m, x * x, m * m, x * m};
        for (size_t k = 0; k < 6; ++k) cell[k] += terms[k];
    }

    const Votes &given_;
    const double *label_;
    double rel_;
    const double *weight_;
    const int32_t *topic_;
    size_t topics_;
    double *out_;  // [judge, topic, 6]
    std::vector<Sum> all_;
};

// Adds to out [document, grade] the weight of each vote. A share p is a vote of p for the grade
// chosen and of 1-p for the one below it.
inline void count_votes(const Votes &given, const int16_t *choice, const double *share,
                        const double *weight, size_t grades, double *out) {
    for (size_t v = 0; v < given.number; ++v) {
        double *cell = out + static_cast<size_t>(given.document[v]) * grades + choice[v];
        double counts = weight[given.judge[v]];
        if (!share) {
            *cell += counts;
        } else {
            *cell += counts * share[v];
            cell[-1] += counts * (1 - share[v]);
        }
    }
}

// Tables [judge, judge] over the documents that both judged.
struct Agreed {
    double *common;  // how many there are
    double *same;    // with the same choice
    double *chance;  // the product of how often each of the two made a choice, summed over choices
};

// Every judge's choices as sets of documents, for panels that judged most documents.
HUNGJURY_POPCNT inline void agreed_by_sets(const Votes &given, const int16_t *choice, size_t grades,
                                           Agreed out) {
    size_t words = (given.documents + 63) / 64, sets = grades + 1;  // the last: all they judged
    std::vector<uint64_t> bits(given.judges * sets * words);
    auto set = [&](size_t judge, size_t which) { return &bits[(judge * sets + which) * words]; };
    for (size_t v = 0; v < given.number; ++v) {
        auto judge = static_cast<size_t>(given.judge[v]), d = static_cast<size_t>(given.document[v]);
        for (size_t which : {static_cast<size_t>(choice[v]), grades})
            set(judge, which)[d / 64] |= uint64_t{1} << (d % 64);
    }
    for (size_t a = 0; a < given.judges; ++a)
        for (size_t b = a; b < given.judges; ++b) {
            int64_t common = 0, same = 0;
            double chance = 0;
            for (size_t g = 0; g < grades; ++g) {
                int64_t one = in_both(set(a, g), set(b, grades), words);
                int64_t other = in_both(set(b, g), set(a, grades), words);
                same += in_both(set(a, g), set(b, g), words);
                common += one;
                chance += static_cast<double>(one) * static_cast<double>(other);
            }
            for (size_t cell : {a * given.judges + b, b * given.judges + a}) {
                out.common[cell] = static_cast<double>(common);
                out.same[cell] = static_cast<double>(same);
                out.chance[cell] = chance;
            }
        }
}

// One judge after another, with all others who voted on the same documents.
inline void agreed_by_votes(const Votes &given, const int16_t *choice, size_t grades,
                            Agreed out) {
    ByKey by_document(given.document, given.number, given.documents);
    ByKey by_judge(given.judge, given.number, given.judges);
    std::vector<int64_t> mine(given.judges * grades), theirs(mine.size()), same(given.judges);
    for (size_t a = 0; a < given.judges; ++a) {
        for (auto *counts : {&mine, &theirs, &same}) std::fill(counts->begin(), counts->end(), 0);
        for (size_t i = by_judge.begin[a]; i < by_judge.begin[a + 1]; ++i) {
            auto d = static_cast<size_t>(given.document[by_judge.entry[i]]);
            auto own = static_cast<size_t>(choice[by_judge.entry[i]]);
            for (size_t k = by_document.begin[d]; k < by_document.begin[d + 1]; ++k) {
                uint32_t vote = by_document.entry[k];
                auto b = static_cast<size_t>(given.judge[vote]);
                auto other = static_cast<size_t>(choice[vote]);
                ++mine[b * grades + own];
                ++theirs[b * grades + other];
                same[b] += own == other;
            }
        }
        for (size_t b = 0; b < given.judges; ++b) {
            size_t cell = a * given.judges + b;
            out.common[cell] = out.chance[cell] = 0;
            out.same[cell] = static_cast<double>(same[b]);
            for (size_t g = b * grades; g < (b + 1) * grades; ++g) {
                out.common[cell] += static_cast<double>(mine[g]);
                out.chance[cell] += static_cast<double>(mine[g]) * static_cast<double>(theirs[g]);
            }
        }
    }
}

// By sets or by votes, whichever is less work.
inline void agreed(const Votes &given, const int16_t *choice, size_t grades, Agreed out) {
    std::vector<double> votes(given.documents);
    for (size_t v = 0; v < given.number; ++v) ++votes[static_cast<size_t>(given.document[v])];
    double by_votes = std::inner_product(votes.begin(), votes.end(), votes.begin(), 0.0);
    double judges = static_cast<double>(given.judges);
    double words = static_cast<double>((given.documents + 63) / 64);
    double by_sets = judges * (judges + 1) / 2 * words * static_cast<double>(3 * grades);
    if (by_sets < by_votes) agreed_by_sets(given, choice, grades, out);
    else agreed_by_votes(given, choice, grades, out);
}

}  // namespace hungjury
