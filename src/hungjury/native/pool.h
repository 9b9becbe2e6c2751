// The judged documents of every topic, found by id: one small hash table per topic, so that the
// probes of one ranked list stay in cache.
#pragma once

#include "intern.h"

namespace hungjury {

class Pool {
  public:
    // `offsets` has one entry more than there are topics; documents of a topic are contiguous.
    Pool(const std::vector<std::string> &topics, const std::vector<std::string> &documents,
         const std::vector<int64_t> &offsets)
        : offsets_(offsets) {
        for (const auto &t : topics) topics_.add(t);
        for (const auto &d : documents) documents_.push(d);
        build();
    }
    // Straight from labels as they were read: `pairs` says which documents, in which order.
    Pool(const Interner &all, const std::vector<std::string> &topics,
         const int64_t *pairs, const std::vector<int64_t> &offsets)
        : offsets_(offsets) {
        for (const auto &t : topics) topics_.add(t);
        for (int64_t i = 0; i < offsets.back(); ++i) documents_.push(all[static_cast<size_t>(pairs[i])]);
        build();
    }
    const Strings &documents() const { return documents_; }
    int32_t topic(Bytes name) const { return topics_.find(name); }
    // Index within all documents of the pool, or -1.
    int32_t document(int32_t topic, Bytes name, uint64_t hash) const {
        auto t = static_cast<size_t>(topic);
        size_t start = starts_[t], mask = starts_[t + 1] - start - 1;
        auto tag = static_cast<uint32_t>(hash >> 32);
        for (size_t i = hash & mask;; i = (i + 1) & mask) {
            const Slot &slot = slots_[start + i];
            if (slot.document < 0) return -1;
            if (slot.tag == tag && same(documents_[static_cast<size_t>(slot.document)], name))
                return slot.document;
        }
    }

  private:
    struct Slot {
        uint32_t tag;
        int32_t document;
    };
    void build() {
        starts_.push_back(0);
        for (size_t t = 0; t + 1 < offsets_.size(); ++t) add_table(t);
    }
    void add_table(size_t topic) {
        size_t count = static_cast<size_t>(offsets_[topic + 1] - offsets_[topic]), size = 2;
        while (size < 2 * count + 1) size *= 2;
        size_t start = slots_.size(), mask = size - 1;
        slots_.resize(start + size, Slot{0, -1});
        for (auto d = offsets_[topic]; d < offsets_[topic + 1]; ++d) {
            uint64_t hash = hash_bytes(documents_[static_cast<size_t>(d)]);
            size_t i = hash & mask;
            while (slots_[start + i].document >= 0) i = (i + 1) & mask;
            slots_[start + i] = Slot{static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(d)};
        }
        starts_.push_back(slots_.size());
    }
    Interner topics_;
    Strings documents_;
    std::vector<int64_t> offsets_;
    std::vector<Slot> slots_;
    std::vector<size_t> starts_;
};

}  // namespace hungjury
