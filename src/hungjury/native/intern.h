// Strings to small integers, in order of first appearance.
#pragma once

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

// Open addressing over `Strings`; a key may carry a scope (a document's topic), so that one table
// holds the documents of all topics.
class Interner {
  public:
    int32_t add(Bytes s, uint32_t scope = 0) {
        if (2 * (strings_.size() + 1) > slots_.size()) grow();
        uint64_t h = mix(s, scope);
        size_t slot = probe(h, s, scope);
        if (slots_[slot] < 0) {
            slots_[slot] = static_cast<int32_t>(strings_.size());
            strings_.push(s);
            hashes_.push_back(h);
            scopes_.push_back(scope);
        }
        return slots_[slot];
    }
    int32_t find(Bytes s, uint32_t scope = 0) const {
        return slots_.empty() ? -1 : slots_[probe(mix(s, scope), s, scope)];
    }
    Bytes operator[](size_t i) const { return strings_[i]; }
    size_t size() const { return strings_.size(); }

  private:
    static uint64_t mix(Bytes s, uint32_t scope) {
        return hash_bytes(s) + scope * 0x9E3779B97F4A7C15ull;
    }
    size_t probe(uint64_t h, Bytes s, uint32_t scope) const {
        size_t mask = slots_.size() - 1, slot = (h ^ (h >> 31)) & mask;
        while (slots_[slot] >= 0) {
            auto i = static_cast<size_t>(slots_[slot]);
            if (hashes_[i] == h && scopes_[i] == scope && strings_[i] == s) break;
            slot = (slot + 1) & mask;
        }
        return slot;
    }
    void grow() {
        size_t size = slots_.empty() ? 64 : slots_.size() * 4, mask = size - 1;
        slots_.assign(size, -1);
        for (size_t i = 0; i < hashes_.size(); ++i) {
            size_t slot = (hashes_[i] ^ (hashes_[i] >> 31)) & mask;
            while (slots_[slot] >= 0) slot = (slot + 1) & mask;
            slots_[slot] = static_cast<int32_t>(i);
        }
    }
    Strings strings_;
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> scopes_;
    std::vector<int32_t> slots_;
};

}  // namespace hungjury
