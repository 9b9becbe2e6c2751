// Strings to small integers, in order of first appearance.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "text.h"

namespace hungjury {

// Many short strings in one block of memory.
class Strings {
  public:
    void push(Bytes s) {
        block_.append(s.data(), s.size());
        ends_.push_back(block_.size());
    }
    Bytes operator[](size_t i) const {
        size_t start = i ? ends_[i - 1] : 0;
        return Bytes(block_.data() + start, ends_[i] - start);
    }
    size_t size() const { return ends_.size(); }

  private:
    std::string block_;
    std::vector<size_t> ends_;
};

// Strings to integers. A key may carry a scope (a document's topic): every scope has a small hash
// table of its own, which stays in cache as long as the lines of a topic stand together.
class Interner {
  public:
    int32_t add(Bytes s, size_t scope = 0) {
        if (scope >= tables_.size()) tables_.resize(scope + 1);
        Table &table = tables_[scope];
        if (2 * (table.count + 1) > table.size) grow(table);
        uint64_t hash = hash_bytes(s);
        Slot &slot = probe(table, hash, s);
        if (slot.string < 0) {
            slot = {tag(hash), static_cast<int32_t>(strings_.size())};
            strings_.push(s);
            ++table.count;
        }
        return slot.string;
    }
    int32_t find(Bytes s) const {
        return tables_.empty() ? -1 : probe(tables_[0], hash_bytes(s), s).string;
    }
    Bytes operator[](size_t i) const { return strings_[i]; }
    size_t size() const { return strings_.size(); }

  private:
    struct Slot {
        uint32_t tag;
        int32_t string;
    };
    struct Table {  // a stretch of slots_
        size_t start = 0;
        uint32_t size = 0, count = 0;
    };
    static uint32_t tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

    const Slot &probe(const Table &table, uint64_t hash, Bytes s) const {
        for (size_t i = hash;; ++i) {
            const Slot &slot = slots_[table.start + (i & (table.size - 1))];
            if (slot.string < 0) return slot;
            if (slot.tag == tag(hash) && same(strings_[static_cast<size_t>(slot.string)], s))
                return slot;
        }
    }
    Slot &probe(const Table &table, uint64_t hash, Bytes s) {
        return const_cast<Slot &>(std::as_const(*this).probe(table, hash, s));
    }
    // The last table grows where it is; one that others stand behind moves to the end.
    void grow(Table &table) {
        auto from = slots_.begin() + static_cast<std::ptrdiff_t>(table.start);
        std::vector<Slot> old(from, from + table.size);
        if (table.start + table.size < slots_.size()) table.start = slots_.size();
        table.size = std::max(16u, 2 * table.size);
        slots_.resize(table.start);
        slots_.resize(table.start + table.size, Slot{0, -1});
        for (const Slot &slot : old) {
            if (slot.string < 0) continue;
            Bytes s = strings_[static_cast<size_t>(slot.string)];
            probe(table, hash_bytes(s), s) = slot;
        }
    }
    Strings strings_;
    std::vector<Table> tables_;
    std::vector<Slot> slots_;
};

// Hashes that have been met.
class HashSet {
  public:
    // False where it is in the set already.
    bool add(uint64_t hash) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        uint64_t &slot = probe(hash |= 1);  // 0 stands for an empty slot
        if (slot) return false;
        slot = hash;
        ++count_;
        return true;
    }
    // Takes in another set; false where the two have a hash in common.
    bool add(const HashSet &other) {
        bool apart = true;
        for (uint64_t hash : other.slots_)
            if (hash) apart &= add(hash);
        return apart;
    }

  private:
    uint64_t &probe(uint64_t hash) {
        size_t i = hash >> 1;
        while (slots_[i & (slots_.size() - 1)] && slots_[i & (slots_.size() - 1)] != hash) ++i;
        return slots_[i & (slots_.size() - 1)];
    }
    void grow() {
        std::vector<uint64_t> old(std::max<size_t>(64, 2 * slots_.size()));
        old.swap(slots_);
        for (uint64_t hash : old)
            if (hash) probe(hash) = hash;
    }
    std::vector<uint64_t> slots_;
    size_t count_ = 0;
};

}  // namespace hungjury
