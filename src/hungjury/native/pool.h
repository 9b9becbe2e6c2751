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
    // Straight from labels as they were read: which topics and documents, in which order.
    Pool(const Interner &all_topics, const Interner &all_documents,
         const std::vector<int64_t> &topics, const std::vector<int64_t> &documents,
         const std::vector<int64_t> &offsets)
        : offsets_(offsets) {
        for (auto t : topics) topics_.add(all_topics[static_cast<size_t>(t)]);
        for (auto d : documents) documents_.push(all_documents[static_cast<size_t>(d)]);
        build();
    }
    const Strings &documents() const { return documents_; }
    size_t topics() const { return topics_.size(); }
    int32_t topic(Bytes name) const { return topics_.find(name); }
    struct Slot {
        uint32_t tag;  // the upper half of the hash
        int32_t document;
    };
    struct Table {
        const Slot *slots;
        size_t mask;
        Slot home(uint64_t hash) const { return slots[hash & mask]; }
    };
    Table table(int32_t topic) const {
        auto t = static_cast<size_t>(topic);
        return {slots_.data() + starts_[t], starts_[t + 1] - starts_[t] - 1};
    }
    // Index within all documents of the pool, or -1. `slot` is the home of the hash: who looks for
    // many documents fetches all homes first, and waits for memory once and not for each.
    int32_t document(const Table &table, Slot slot, Bytes name, uint64_t hash) const {
        auto tag = static_cast<uint32_t>(hash >> 32);
        for (size_t i = hash & table.mask;;) {
            if (slot.document < 0) return -1;
            if (slot.tag == tag && same(documents_[static_cast<size_t>(slot.document)], name))
                return slot.document;
            i = (i + 1) & table.mask;
            slot = table.slots[i];
        }
    }

  private:
    void build() {
        starts_.push_back(0);
        for (size_t t = 0; t + 1 < offsets_.size(); ++t) {
            size_t count = static_cast<size_t>(offsets_[t + 1] - offsets_[t]), size = 2;
            while (size < 2 * count + 1) size *= 2;
            starts_.push_back(starts_.back() + size);
        }
        slots_.assign(starts_.back(), Slot{0, -1});
        for (size_t t = 0; t + 1 < offsets_.size(); ++t) fill_table(t);
    }
    void fill_table(size_t topic) {
        size_t start = starts_[topic], mask = starts_[topic + 1] - start - 1;
        for (auto d = offsets_[topic]; d < offsets_[topic + 1]; ++d) {
            uint64_t hash = hash_bytes(documents_[static_cast<size_t>(d)]);
            size_t i = hash & mask;
            while (slots_[start + i].document >= 0) i = (i + 1) & mask;
            slots_[start + i] = Slot{static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(d)};
        }
    }
    Interner topics_;
    Strings documents_;
    std::vector<int64_t> offsets_;
    std::vector<Slot> slots_;
    std::vector<size_t> starts_;
};

}  // namespace hungjury
