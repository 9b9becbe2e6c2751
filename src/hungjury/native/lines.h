// Text cut into lines and tokens: bit masks of 64 bytes tell where blanks are, and only the places
// where a token begins are visited.
#pragma once

#include <vector>

#include "text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hungjury {

// One line of a file: [begin, end) without its newline. Tokens are separated by blanks.
struct Line {
    const char *begin, *end;
    const char *readable;    // bytes up to here may be looked at
    const uint32_t *starts;  // where each token begins, and at last the place behind the newline
    uint32_t count;          // of tokens
    bool loose;              // somewhere there is more than one blank between tokens
    uint64_t number;

    Bytes token(uint32_t i) const {
        const char *from = begin + starts[i], *to = begin + starts[i + 1] - 1;
        if (loose)
            while (is_blank(to[-1])) --to;
        return Bytes(from, static_cast<size_t>(to - from));
    }
    // From a token to the end of the line, without blanks at the end; empty where there is none.
    Bytes rest(uint32_t i) const {
        if (i >= count) return Bytes();
        const char *from = begin + starts[i], *to = end;
        while (is_blank(to[-1])) --to;
        return Bytes(from, static_cast<size_t>(to - from));
    }
    bool is_comment() const { return begin < end && *begin == '#'; }
};

// Bit i describes byte i of 64.
struct Masks {
    uint64_t blank = 0, newline = 0;
};

inline Masks masks_of_64(const char *p) {
    Masks out;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' '), newline = _mm_set1_epi8('\n'),
                  first = _mm_set1_epi8('\t'), others = _mm_set1_epi8('\r' - '\t');
    for (int i = 0; i < 4; ++i) {
        __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * i));
        __m128i from_tab = _mm_sub_epi8(bytes, first);
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, others), from_tab);
        __m128i blank = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, space));
        auto bits = [i](__m128i mask) {
            return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(mask))) << 16 * i;
        };
        out.blank |= bits(blank);
        out.newline |= bits(_mm_cmpeq_epi8(bytes, newline));
    }
#else
    for (int i = 0; i < 64; ++i) {
        out.blank |= static_cast<uint64_t>(is_blank(p[i])) << i;
        out.newline |= static_cast<uint64_t>(p[i] == '\n') << i;
    }
#endif
    return out;
}

// Cuts a stream of chunks into lines, which go to `reader.line(...)`; a line that crosses a chunk's
// end is carried over.
class Lines {
  public:
    template <class Reader> void feed(Bytes chunk, Reader &reader) {
        if (!carry_.empty()) {
            size_t stop = chunk.find('\n');
            carry_.append(chunk.substr(0, stop == Bytes::npos ? stop : stop + 1));
            if (carry_.size() > LONGEST)
                throw BadLine(number_ + 1, "too-long", "the line has more than 128 MB");
            if (stop == Bytes::npos) return;
            walk(carry_, reader);
            carry_.clear();
            chunk.remove_prefix(stop + 1);
        }
        size_t whole = chunk.rfind('\n') + 1;  // 0 where there is none
        walk(chunk.substr(0, whole), reader);
        carry_ = chunk.substr(whole);
    }
    template <class Reader> void finish(Reader &reader) {
        if (carry_.empty()) return;
        carry_ += '\n';
        walk(carry_, reader);
        carry_.clear();
    }

  private:
    // Hands over every line of a block that ends with a newline.
    template <class Reader> void walk(Bytes block, Reader &reader) {
        if (block.size() > UINT32_MAX - 64)
            throw BadLine(number_ + 1, "too-long", "the line is too long");
        const char *end = block.data() + block.size();
        const bool returns = block.find('\r') != Bytes::npos;
        Line line{};
        line.readable = end;
        for (const char *p = block.data(); p < end; p = line.end + 1) {
            line.begin = p;
            split(line);
            line.number = ++number_;
            if (returns) check_returns(line);
            reader.line(line);
        }
    }
    // A carriage return ends a line on some systems; here it may only precede the newline. Taken as
    // a blank, it would make one line of several.
    HUNGJURY_RARE static void check_returns(const Line &line) {
        const auto length = static_cast<size_t>(line.end - line.begin);
        size_t at = Bytes(line.begin, length).find('\r');
        if (at == Bytes::npos || at + 1 == length) return;
        throw BadLine(line.number, "carriage-return",
                      "there is a carriage return inside the line");
    }
    // Finds the end of a line and its tokens, from where it begins.
    HUNGJURY_INLINE void split(Line &line) {
        uint64_t after_blank = 1, loose = 0;
        size_t count = 0;
        for (uint32_t at = 0;; at += 64) {
            if (count + 66 > starts_.size()) grow();
            Masks masks = masks_of(line.begin + at, line.readable);
            uint64_t behind_blank = masks.blank << 1 | after_blank;
            uint64_t upto = masks.newline ^ (masks.newline - 1);  // to the first newline, or all
            loose |= masks.blank & behind_blank & upto;           // a newline is a blank too
            for (uint64_t m = ~masks.blank & behind_blank & upto; m; m &= m - 1)
                starts_[count++] = at + lowest_bit(m);
            if (masks.newline) {
                uint32_t length = at + lowest_bit(masks.newline);
                line.end = line.begin + length;
                starts_[count] = length + 1;
                break;
            }
            after_blank = masks.blank >> 63;
        }
        line.starts = starts_.data();
        line.count = static_cast<uint32_t>(count);
        line.loose = loose;
    }
    HUNGJURY_RARE void grow() { starts_.resize(2 * starts_.size() + 128); }
    HUNGJURY_RARE static Masks last_masks(const char *p, const char *readable) {
        char last[64];
        std::memset(last, ' ', sizeof last);
        std::memcpy(last, p, static_cast<size_t>(readable - p));
        return masks_of_64(last);
    }
    static Masks masks_of(const char *p, const char *readable) {
        return p + 64 <= readable ? masks_of_64(p) : last_masks(p, readable);
    }
    static constexpr size_t LONGEST = size_t{1} << 27;  // bytes; more is not text
    std::string carry_;
    uint64_t number_ = 0;
    std::vector<uint32_t> starts_;
};

}  // namespace hungjury
