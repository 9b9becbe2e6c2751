// Ranked lists: collected line by line, checked for duplicates.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "text.h"

namespace hungjury {

// The lines of one topic in one run, as they came. Ids are kept one behind the other; a list never
// holds more bytes of ids than `Offset` counts, nor more documents than an int32_t.
template <class Offset> class ListOf {
  public:
    static constexpr size_t most_bytes = std::numeric_limits<Offset>::max();
    static constexpr size_t most_documents = INT32_MAX;

    struct Entry {
        uint64_t hash;  // of the id
        double score;
        Offset id_end;  // where the id ends in `ids_`; it begins where the one before ends
        int32_t rank;   // the file's rank column; 0 where there is none
    };
    size_t size() const { return size_; }
    const Entry &operator[](size_t i) const { return entries_[i]; }
    Bytes id(size_t i) const {
        size_t start = i ? entries_[i - 1].id_end : 0;
        return Bytes(ids_.data() + start, entries_[i].id_end - start);
    }
    // Do scores fall, and ranks not, from each line to the next?
    bool in_order() const { return in_order_; }
    // Are two neighbouring scores equal as 32-bit floats?
    bool close_scores() const { return close_scores_; }
    uint64_t line(size_t i) const {
        auto after = std::upper_bound(stretches_.begin(), stretches_.end(), i,
                                      [](size_t at, const Stretch &s) { return at < s.first; });
        return std::prev(after)->line + (i - std::prev(after)->first);
    }

    // Returns the hash of the id.
    uint64_t add(Bytes id, double score, int32_t rank, uint64_t line) {
        if (end_ + id.size() > ids_.size() || size_ == entries_.size()) grow(id.size(), line);
        copy(id, ids_.data() + end_);
        end_ += id.size();
        if (line != next_line_) leap(line);
        next_line_ = line + 1;
        in_order_ &= (score < last_score_) & (rank >= last_rank_);
        close_scores_ |= static_cast<float>(score) == static_cast<float>(last_score_);
        last_score_ = score;
        last_rank_ = rank;
        // Written in place: a struct put together elsewhere and then moved here would stall.
        Entry &entry = entries_[size_++];
        uint64_t hash = hash_bytes(id);
        entry.hash = hash;
        entry.score = score;
        entry.id_end = static_cast<Offset>(end_);
        entry.rank = rank;
        return hash;
    }
    void clear() {
        size_ = end_ = next_line_ = 0;
        in_order_ = true;
        close_scores_ = false;
        last_score_ = std::numeric_limits<double>::infinity();
        last_rank_ = INT32_MIN;
        stretches_.clear();
    }
    void settle() {  // line numbers are wanted only until duplicates have been looked for
        stretches_ = {};
        ids_.resize(end_);
        ids_.shrink_to_fit();
        entries_.resize(size_);
        entries_.shrink_to_fit();
    }

  private:
    HUNGJURY_RARE void grow(size_t bytes, uint64_t line) {
        if (bytes > most_bytes - end_ || size_ == most_documents)
            throw BadLine(line, "too-long", "the list of a topic is too long");
        if (end_ + bytes > ids_.size()) ids_.resize(std::min(2 * (end_ + bytes), most_bytes));
        if (size_ == entries_.size()) entries_.resize(std::min(2 * size_ + 64, most_documents));
    }
    HUNGJURY_RARE void leap(uint64_t line) { stretches_.push_back({size_, line}); }
    struct Stretch {  // entries from `first` are in `line` and the lines after it
        size_t first;
        uint64_t line;
    };
    std::vector<char> ids_;
    size_t end_ = 0;  // of the ids in use
    uint64_t next_line_ = 0;
    std::vector<Entry> entries_;
    size_t size_ = 0;  // of the entries in use
    bool in_order_ = true, close_scores_ = false;
    double last_score_ = std::numeric_limits<double>::infinity();
    int32_t last_rank_ = INT32_MIN;
    std::vector<Stretch> stretches_;
};

using RankedList = ListOf<uint64_t>;

// Finds a document that appears twice in a list.
class DuplicateFinder {
  public:
    // Index of the second occurrence, or -1.
    int64_t find(const RankedList &list) { return suspicious(list) ? search(list) : -1; }
    void check(const RankedList &list, Bytes topic) {
        auto i = find(list);
        if (i < 0) return;
        auto second = static_cast<size_t>(i);
        throw BadLine(list.line(second), "duplicate-document",
                      "document '" + shown(list.id(second)) + "' appears twice in the list of topic '" +
                          shown(topic) + "'");
    }

  private:
    // A first look without a branch. Every hash chooses a word and four bits in it; only where all
    // four were set before, which is rare but for duplicates, is a search worthwhile.
    bool suspicious(const RankedList &list) {
        size_t size = 1;
        while (size < list.size()) size *= 2;
        words_.assign(size, 0);
        bool met = false;
        for (size_t i = 0; i < list.size(); ++i) {
            uint64_t hash = list[i].hash, &word = words_[hash & (size - 1)];
            uint64_t bits = 1ull << (hash >> 58) | 1ull << (hash >> 52 & 63) |
                            1ull << (hash >> 46 & 63) | 1ull << (hash >> 40 & 63);
            met |= (word & bits) == bits;
            word |= bits;
        }
        return met;
    }
    int64_t search(const RankedList &list) {
        size_t size = 64;
        while (size < 2 * list.size()) size *= 2;
        slots_.assign(size, -1);
        size_t mask = size - 1;
        for (size_t i = 0; i < list.size(); ++i) {
            size_t slot = list[i].hash & mask;
            for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
                auto other = static_cast<size_t>(slots_[slot]);
                if (list[other].hash == list[i].hash && same(list.id(other), list.id(i)))
                    return static_cast<int64_t>(i);
            }
            slots_[slot] = static_cast<int32_t>(i);
        }
        return -1;
    }
    std::vector<uint64_t> words_;
    std::vector<int32_t> slots_;
};

}  // namespace hungjury
