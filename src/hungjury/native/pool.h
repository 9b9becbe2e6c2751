// The judged documents of every topic, found by id.
#pragma once

#include <stdexcept>

#include "intern.h"

namespace hungjury {

// Names of topics, and of documents in the scope of their topic.
struct Ids {
    Interner topics, documents;
};

class Pool {
  public:
    // `offsets` has one entry more than there are topics; documents of a topic are contiguous.
    Pool(const std::vector<std::string> &topics, const std::vector<std::string> &documents,
         const std::vector<int64_t> &offsets) {
        for (const auto &t : topics) topics_.push_back(ids_.topics.add(t));
        for (size_t t = 0; t < topics.size(); ++t)
            for (int64_t d = offsets[t]; d < offsets[t + 1]; ++d)
                documents_.push_back(ids_.documents.add(documents[static_cast<size_t>(d)], t));
        if (ids_.topics.size() != topics.size() || ids_.documents.size() != documents.size())
            throw std::invalid_argument("a topic, or a document of a topic, is there twice");
        number();
    }
    // Some topics and documents of those whose ids are known, in the order of the pool.
    Pool(Ids ids, std::vector<int64_t> topics, std::vector<int64_t> documents)
        : ids_(std::move(ids)), topics_(std::move(topics)), documents_(std::move(documents)) {
        number();
    }
    size_t topics() const { return topics_.size(); }
    size_t size() const { return documents_.size(); }
    Bytes operator[](size_t document) const {
        return ids_.documents[static_cast<size_t>(documents_[document])];
    }
    // The number of a topic, or -1.
    int32_t topic(Bytes name) const { return number_of(ids_.topics.find(name), topic_numbers_); }

    // The documents of one topic.
    class Topic {
      public:
        // False where a search would find nothing.
        bool may_hold(uint64_t hash) const { return scope_.may_hold(hash); }
        // Index within all documents of the pool, or -1.
        int32_t document(Bytes name, uint64_t hash) const {
            return number_of(scope_.find(name, hash), pool_.document_numbers_);
        }

      private:
        friend Pool;
        Topic(const Pool &pool, Interner::Scope scope) : pool_(pool), scope_(scope) {}
        const Pool &pool_;
        Interner::Scope scope_;
    };
    Topic operator()(int32_t topic) const {
        auto known_as = static_cast<size_t>(topics_[static_cast<size_t>(topic)]);
        return Topic(*this, ids_.documents.scope(known_as));
    }

  private:
    static int32_t number_of(int32_t id, const std::vector<int32_t> &numbers) {
        return id < 0 ? -1 : numbers[static_cast<size_t>(id)];
    }
    void number() {
        auto place = [](const std::vector<int64_t> &order, size_t ids) {
            std::vector<int32_t> numbers(ids, -1);
            for (size_t i = 0; i < order.size(); ++i)
                numbers.at(static_cast<size_t>(order[i])) = static_cast<int32_t>(i);
            return numbers;
        };
        topic_numbers_ = place(topics_, ids_.topics.size());
        document_numbers_ = place(documents_, ids_.documents.size());
    }
    Ids ids_;
    std::vector<int64_t> topics_, documents_;                // their ids, in the order of the pool
    std::vector<int32_t> topic_numbers_, document_numbers_;  // places in the pool, by id; or -1
};

}  // namespace hungjury
