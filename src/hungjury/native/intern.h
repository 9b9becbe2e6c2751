// Strings to small integers, in order of first appearance.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "text.h"

namespace hungjury {

// Many short strings in one block of memory.
class Strings {
  public:
    void push(Bytes s) {
        size_t end = size() ? ends_.back() : 0;
        if (end + s.size() > room_) make_room(2 * (end + s.size()));
        copy(s, block_.get() + end);
        ends_.push_back(end + s.size());
    }
    Bytes operator[](size_t i) const {
        size_t start = i ? ends_[i - 1] : 0;
        return Bytes(block_.get() + start, ends_[i] - start);
    }
    size_t size() const { return ends_.size(); }
    void reserve(size_t strings, size_t bytes) {
        ends_.reserve(strings);
        if (bytes > room_) make_room(bytes);
    }

  private:
    void make_room(size_t bytes) {
        std::unique_ptr<char[]> wider(new char[bytes]);  // not set to zero, unlike a vector's
        if (size()) std::memcpy(wider.get(), block_.get(), ends_.back());
        block_ = std::move(wider);
        room_ = bytes;
    }
    std::unique_ptr<char[]> block_;
    size_t room_ = 0;
    std::vector<size_t> ends_;
};

// Strings to integers. A key may carry a scope (a document's topic): every scope has a small hash
// table of its own, which stays in cache as long as the lines of a topic are adjacent.
class Interner {
    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) & ~1u; }

  public:
    struct Slot {
        uint32_t tag = 0;  // from the upper half of the hash; its lowest bit: look on in the next slot
        int32_t string = -1;
        bool fits(uint64_t hash) const { return (tag ^ tag_of(hash)) < 2; }
        bool leads_on() const { return tag & 1; }
    };
    // The table of a scope, for callers that look up many strings.
    class Scope {
      public:
        // Prefetches the slot of a hash that is searched for later.
        void expect(uint64_t hash) const { fetch(slots_ + (hash & mask_)); }
        // Where a search begins; it fails unless this slot matches or continues in the next.
        Slot home(uint64_t hash) const { return slots_[hash & mask_]; }
        // The number of a string, or -1.
        int32_t find(Bytes s, uint64_t hash) const { return find(s, hash, home(hash)); }
        int32_t find(Bytes s, uint64_t hash, Slot slot) const {
            for (size_t i = hash;; slot = slots_[++i & mask_]) {
                if (slot.fits(hash) && slot.string >= 0 &&
                    same((*strings_)[static_cast<size_t>(slot.string)], s))
                    return slot.string;
                if (!slot.leads_on()) return -1;
            }
        }

      private:
        friend Interner;
        Scope(const Slot *slots, size_t mask, const Strings *strings)
            : slots_(slots), mask_(mask), strings_(strings) {}
        const Slot *slots_;
        size_t mask_;
        const Strings *strings_;
    };

    int32_t add(Bytes s, size_t scope = 0) {
        if (scope >= tables_.size()) tables_.resize(scope + 1);
        Table &table = tables_[scope];
        if (!table.size && scope) make_like(table, tables_[scope - 1].count);
        if (2 * (table.count + 1) > table.size) grow(table);
        uint64_t hash = hash_bytes(s);
        int32_t known = of(table).find(s, hash);
        if (known >= 0) return known;
        if (strings_.size() == INT32_MAX) throw std::length_error("more than 2^31 ids");
        auto added = static_cast<int32_t>(strings_.size());
        insert(table, hash, added);
        strings_.push(s);
        ++table.count;
        return added;
    }
    int32_t find(Bytes s) const { return scope(0).find(s, hash_bytes(s)); }
    Scope scope(size_t i) const {
        static constexpr Slot nothing{};
        if (i >= tables_.size() || !tables_[i].size) return Scope(&nothing, 0, &strings_);
        return of(tables_[i]);
    }
    Bytes operator[](size_t i) const { return strings_[i]; }
    size_t size() const { return strings_.size(); }
    void reserve(size_t strings, size_t bytes) {
        strings_.reserve(strings, bytes);
        slots_.reserve(4 * strings);
    }

  private:
    static constexpr uint32_t MOST_GUESSED = 1u << 20;
    struct Table {  // a stretch of slots_
        size_t start = 0;
        uint32_t size = 0, count = 0;
    };
    Scope of(const Table &table) const {
        return Scope(slots_.data() + table.start, table.size - 1, &strings_);
    }
    void insert(const Table &table, uint64_t hash, int32_t string) {
        size_t i = hash;
        auto slot = [&]() -> Slot & { return slots_[table.start + (i & (table.size - 1))]; };
        for (; slot().string >= 0; ++i) slot().tag |= 1;
        slot() = {tag_of(hash), string};
    }
    // Room for as many strings as the scope before has: topics are often of about the same size.
    void make_like(Table &table, uint32_t count) {
        table.start = slots_.size();
        for (table.size = 16; table.size < 2 * std::min(count, MOST_GUESSED);) table.size *= 2;
        slots_.resize(table.start + table.size);
    }
    // The last table grows where it is; one that others follow moves to the end.
    void grow(Table &table) {
        auto from = slots_.begin() + static_cast<std::ptrdiff_t>(table.start);
        std::vector<Slot> old(from, from + table.size);
        if (table.start + table.size < slots_.size()) table.start = slots_.size();
        table.size = std::max(16u, 2 * table.size);
        slots_.resize(table.start);
        slots_.resize(table.start + table.size);
        for (const Slot &slot : old)
            if (slot.string >= 0)
                insert(table, hash_bytes(strings_[static_cast<size_t>(slot.string)]), slot.string);
    }
    Strings strings_;
    std::vector<Table> tables_;
    std::vector<Slot> slots_;
};

// A set of hashes.
class HashSet {
  public:
    // False where it is in the set already.
    bool add(uint64_t hash) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        uint64_t &slot = probe(hash |= 1);  // 0 marks an empty slot
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
