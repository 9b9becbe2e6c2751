// The judged documents of every topic, found by id.
#pragma once

#include <stdexcept>

#include "intern.h"

namespace hungjury {

// Names of topics, and of documents in the scope of their topic.
struct Ids {
    Interner topics, documents;
};

// A view of integers that the caller owns.
class Numbers {
  public:
    Numbers(const int64_t *data, size_t size) : data_(data), size_(size) {}
    Numbers(const std::vector<int64_t> &all) : Numbers(all.data(), all.size()) {}
    size_t size() const { return size_; }
    int64_t operator[](size_t i) const { return data_[i]; }

  private:
    const int64_t *data_;
    size_t size_;
};

// Pairs of topic and document by topic: where the pool has each pair, and what it has where.
struct Places {
    std::vector<int64_t> pairs;     // in the order of the pool
    std::vector<int32_t> position;  // of every pair; -1 where no row has it
    std::vector<int64_t> counts;    // pairs of each topic, in the order of topics
};

// Topics are ordered as `order` says, pairs of a topic as they came. Everything has to be in range.
inline Places place_pairs(Numbers order, const int32_t *topic_of, size_t pairs, const int32_t *rows,
                          size_t number) {
    std::vector<size_t> rank(order.size()), next(order.size());
    for (size_t i = 0; i < order.size(); ++i) rank[static_cast<size_t>(order[i])] = i;
    auto rank_of = [&](size_t pair) { return rank[static_cast<size_t>(topic_of[pair])]; };
    Places out{{}, std::vector<int32_t>(pairs, -1), std::vector<int64_t>(order.size())};
    for (size_t r = 0; r < number; ++r) out.position[static_cast<size_t>(rows[r])] = 0;
    for (size_t p = 0; p < pairs; ++p)
        if (!out.position[p]) ++out.counts[rank_of(p)];
    size_t used = 0;
    for (size_t t = 0; t < order.size(); ++t) {
        next[t] = used;
        used += static_cast<size_t>(out.counts[t]);
    }
    out.pairs.resize(used);
    for (size_t p = 0; p < pairs; ++p)
        if (!out.position[p]) {
            size_t at = next[rank_of(p)]++;
            out.pairs[at] = static_cast<int64_t>(p);
            out.position[p] = static_cast<int32_t>(at);
        }
    return out;
}

// Topics and documents are known by their places in the pool.
class Pool {
  public:
    // `offsets` has one entry more than there are topics and ascends from 0 to the number of
    // documents; documents of a topic are contiguous.
    Pool(const std::vector<std::string> &topics, const std::vector<std::string> &documents,
         Numbers offsets) {
        fill(topics.size(), documents.size(), offsets, [&](size_t t) -> Bytes { return topics[t]; },
             [&](size_t d) -> Bytes { return documents[d]; });
    }
    // Some topics and documents of those whose ids are known, by their numbers.
    Pool(Ids ids, Numbers topics, Numbers documents, Numbers offsets) {
        if (counts_up(topics, ids.topics.size()) && counts_up(documents, ids.documents.size())) {
            ids_ = std::move(ids);
            return;
        }
        // In the order of the pool: what belongs to a topic is close together in memory.
        fill(topics.size(), documents.size(), offsets,
             [&](size_t t) { return ids.topics[static_cast<size_t>(topics[t])]; },
             [&](size_t d) { return ids.documents[static_cast<size_t>(documents[d])]; });
    }
    const Interner &documents() const { return ids_.documents; }
    size_t topics() const { return ids_.topics.size(); }
    // The number of a topic, or -1.
    int32_t topic(Bytes name) const { return ids_.topics.find(name); }
    // Finds documents of a topic.
    Interner::Scope documents_of(int32_t topic) const {
        return ids_.documents.scope(static_cast<size_t>(topic));
    }

  private:
    template <class Topic, class Document>
    void fill(size_t topics, size_t documents, Numbers offsets, Topic topic, Document document) {
        for (size_t t = 0; t < topics; ++t) {
            ids_.topics.add(topic(t));
            for (int64_t d = offsets[t]; d < offsets[t + 1]; ++d)
                ids_.documents.add(document(static_cast<size_t>(d)), t);
        }
        if (ids_.topics.size() != topics || ids_.documents.size() != documents)
            throw std::invalid_argument("a topic, or a document of a topic, is there twice");
    }
    static bool counts_up(Numbers numbers, size_t count) {
        for (size_t i = 0; i < numbers.size(); ++i)
            if (numbers[i] != static_cast<int64_t>(i)) return false;
        return numbers.size() == count;
    }
    Ids ids_;
};

}  // namespace hungjury
