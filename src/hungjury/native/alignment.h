// Ranked lists put in order and joined to a pool.
#pragma once

#include <algorithm>
#include <numeric>

#include "lists.h"
#include "pool.h"

namespace hungjury {

enum class Ties { trec, input, expected };

struct Ranking {
    Ties ties = Ties::trec;
    bool single = false;  // compare scores as 32-bit floats
    int64_t depth = 0;    // 0: the whole list
    int64_t others = 0;   // ranks down to which documents outside the pool are remembered
    bool named = false;   // with their ids
};

// Puts the documents of a list in order: the only sort there is.
class Sorter {
  public:
    const std::vector<uint32_t> &order(const RankedList &list, const Ranking &how) {
        size_t n = list.size();
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), 0u);
        if (how.ties == Ties::input || in_order(list, how)) return order_;
        keys_.resize(n);
        for (size_t i = 0; i < n; ++i) keys_[i] = key(list[i].score, how.single);
        if (!sorted(list)) sort(list);
        return order_;
    }
    // Nothing is to be sorted, no two scores are equal and no rank contradicts them.
    static bool in_order(const RankedList &list, const Ranking &how) {
        return list.in_order() && !how.single && how.ties == Ties::trec;
    }
    // Valid after order(), unless the list was in order: are two documents, by their places, tied?
    bool tied(uint32_t a, uint32_t b) const { return keys_[a] == keys_[b]; }

  private:
    // Smaller key = larger score; equal scores (also 0.0 and -0.0) have equal keys.
    static uint64_t key(double score, bool single) {
        if (single) score = static_cast<double>(static_cast<float>(score));
        score += 0.0;
        uint64_t bits;
        std::memcpy(&bits, &score, 8);
        uint64_t ascending = bits & (1ull << 63) ? ~bits : bits | (1ull << 63);
        return ~ascending;
    }
    bool sorted(const RankedList &list) const {
        for (size_t i = 1; i < list.size(); ++i) {
            if (keys_[i - 1] < keys_[i]) continue;
            if (keys_[i - 1] > keys_[i] || list.id(i - 1) < list.id(i)) return false;
        }
        return true;
    }
    void sort(const RankedList &list) {
        // Sorting 64-bit words is much faster than sorting structs: the leading bits of the key
        // and the place share a word; words whose bits agree are put right afterwards.
        size_t n = list.size();
        auto [least, most] = std::minmax_element(keys_.begin(), keys_.end());
        uint64_t base = *least, span = *most - base;
        int digits = n < 4096 ? 2 : 4, shift = 0;
        while (span >> shift >> 8 * digits) ++shift;
        words_.resize(n);
        for (size_t i = 0; i < n; ++i) words_[i] = (keys_[i] - base) >> shift << 32 | i;
        sort_words(digits);
        for (size_t i = 0; i < n; ++i) order_[i] = static_cast<uint32_t>(words_[i]);
        for (size_t i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && (words_[i] >> 32) == (words_[j] >> 32);) ++j;
            if (j - i == 1) continue;
            std::sort(order_.begin() + static_cast<std::ptrdiff_t>(i),
                      order_.begin() + static_cast<std::ptrdiff_t>(j), [&](uint32_t a, uint32_t b) {
                          if (keys_[a] != keys_[b]) return keys_[a] < keys_[b];
                          return list.id(a) > list.id(b);
                      });
        }
    }
    // By the upper half, equal ones in their order: a radix sort, a byte at a time.
    void sort_words(int digits) {
        spare_.resize(words_.size());
        for (int shift = 32; shift < 32 + 8 * digits; shift += 8) {
            uint32_t starts[256] = {}, total = 0;
            for (uint64_t w : words_) ++starts[(w >> shift) & 255];
            for (uint32_t &s : starts) {
                uint32_t count = s;
                s = total;
                total += count;
            }
            for (uint64_t w : words_) spare_[starts[(w >> shift) & 255]++] = w;
            words_.swap(spare_);
        }
    }
    std::vector<uint32_t> order_;
    std::vector<uint64_t> keys_, words_, spare_;
};

// Ranked lists joined to a pool, one after the other: for each list its topic and length and the
// (rank, document) of every pooled document in it, best first.
class Alignment {
  public:
    explicit Alignment(Ranking how) : how_(how) {}

    void add(const RankedList &list, int32_t topic_index, const Pool &pool) {
        const auto &order = sorter_.order(list, how_);
        size_t n = list.size();
        if (how_.depth > 0) n = std::min(n, static_cast<size_t>(how_.depth));
        join(list, topic_index, pool);
        look_at_ties(list, order);
        if (depends_on_precision(list, order)) ++precision_lists;
        for (size_t i = 0; i < n && static_cast<int64_t>(i) < how_.others; ++i) {
            if (found_[order[i]] >= 0) continue;
            other_topic.push_back(topic_index);
            other_rank.push_back(static_cast<int32_t>(i + 1));
            other_hash.push_back(list[order[i]].hash);
            if (!how_.named) continue;
            auto id = list.id(order[i]);
            other_id.insert(other_id.end(), id.begin(), id.end());
            other_size.push_back(static_cast<int32_t>(id.size()));
        }
        keep(order, n);
        topic.push_back(topic_index);
        length.push_back(static_cast<int32_t>(n));
        end.push_back(static_cast<int64_t>(rank.size()));
    }

    // The lists of another alignment come behind those here.
    void append(const Alignment &next) {
        auto base = static_cast<int64_t>(rank.size());
        for (int64_t e : next.end) end.push_back(base + e);
        auto extend = [](auto &mine, const auto &theirs) {
            mine.insert(mine.end(), theirs.begin(), theirs.end());
        };
        extend(topic, next.topic);
        extend(length, next.length);
        extend(rank, next.rank);
        extend(document, next.document);
        extend(tie_first, next.tie_first);
        extend(tie_last, next.tie_last);
        extend(other_topic, next.other_topic);
        extend(other_rank, next.other_rank);
        extend(other_hash, next.other_hash);
        extend(other_id, next.other_id);
        extend(other_size, next.other_size);
        tied_lists += next.tied_lists;
        precision_lists += next.precision_lists;
        contradicted_lists += next.contradicted_lists;
        cut_ties += next.cut_ties;
    }

    std::vector<int32_t> topic, length;
    std::vector<int64_t> end;
    std::vector<int32_t> rank, document, tie_first, tie_last;
    std::vector<int32_t> other_topic, other_rank;  // documents outside the pool, if asked for
    std::vector<uint64_t> other_hash;
    std::vector<uint8_t> other_id;  // one after the other
    std::vector<int32_t> other_size;
    int64_t tied_lists = 0, contradicted_lists = 0;
    int64_t precision_lists = 0;  // lists that 32-bit scores would put in another order
    int64_t cut_ties = 0;  // lists whose cut goes through a tie

  private:
    // Sets found_, the place of each entry of the list in the pool, or -1. A first pass without
    // branches, which would be mispredicted, chooses the entries that are worth a search.
    void join(const RankedList &list, int32_t topic_index, const Pool &pool) {
        size_t n = list.size(), likely = 0;
        Interner::Scope judged = pool.documents_of(topic_index);
        likely_.resize(n);
        found_.assign(n, -1);
        for (size_t i = 0; i < n; ++i) {
            uint64_t hash = list[i].hash;
            Interner::Slot home = judged.home(hash);
            likely_[likely] = {static_cast<uint32_t>(i), home};
            likely += static_cast<size_t>(home.fits(hash)) | static_cast<size_t>(home.leads_on());
        }
        for (size_t k = 0; k < likely; ++k) {
            auto [i, home] = likely_[k];
            found_[i] = judged.find(list.id(i), list[i].hash, home);
        }
    }
    // Appends the pooled ones of the first n documents. Which they are is unpredictable; a branch
    // for each would cost more than writing them all.
    void keep(const std::vector<uint32_t> &order, size_t n) {
        size_t kept = rank.size(), first = kept;
        if (kept + n > rank.capacity()) {
            rank.reserve(2 * (kept + n));
            document.reserve(2 * (kept + n));
        }
        rank.resize(kept + n);
        document.resize(kept + n);
        for (size_t i = 0; i < n; ++i) {
            rank[kept] = static_cast<int32_t>(i + 1);
            document[kept] = found_[order[i]];
            kept += found_[order[i]] >= 0;
        }
        rank.resize(kept);
        document.resize(kept);
        if (how_.ties != Ties::expected) return;
        for (size_t i = first; i < kept; ++i) {
            tie_first.push_back(first_[static_cast<size_t>(rank[i] - 1)]);
            tie_last.push_back(last_[static_cast<size_t>(rank[i] - 1)]);
        }
    }
    // Scores that are equal as 32-bit floats are ordered by document id there.
    bool depends_on_precision(const RankedList &list, const std::vector<uint32_t> &order) const {
        if (how_.single || how_.ties != Ties::trec) return false;
        if (list.in_order() && !list.close_scores()) return false;
        for (size_t i = 1; i < list.size(); ++i) {
            double before = list[order[i - 1]].score, after = list[order[i]].score;
            if (before > after && static_cast<float>(before) == static_cast<float>(after) &&
                list.id(order[i - 1]) < list.id(order[i]))
                return true;
        }
        return false;
    }
    // Tie groups by rank, over the whole list: a cut by depth does not change where a tie lies.
    void look_at_ties(const RankedList &list, const std::vector<uint32_t> &order) {
        size_t n = list.size();
        bool ties = false, contradicted = false;
        if (how_.ties != Ties::input && !Sorter::in_order(list, how_)) {
            for (size_t i = 1; i < n; ++i) {
                bool tied = sorter_.tied(order[i - 1], order[i]);
                int32_t before = list[order[i - 1]].rank, after = list[order[i]].rank;
                ties |= tied;
                contradicted |= !tied & (after < before);
            }
        }
        tied_lists += ties;
        contradicted_lists += contradicted;
        if (how_.ties != Ties::expected) return;
        auto depth = static_cast<size_t>(how_.depth);
        cut_ties += depth > 0 && depth < n && sorter_.tied(order[depth - 1], order[depth]);
        first_.resize(n);
        last_.resize(n);
        for (size_t i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && sorter_.tied(order[i], order[j]);) ++j;
            for (size_t k = i; k < j; ++k) {
                first_[k] = static_cast<int32_t>(i + 1);
                last_[k] = static_cast<int32_t>(j);
            }
        }
    }
    Ranking how_;
    Sorter sorter_;
    struct Likely {
        uint32_t entry;
        Interner::Slot home;
    };
    std::vector<Likely> likely_;
    std::vector<int32_t> found_, first_, last_;
};

}  // namespace hungjury
