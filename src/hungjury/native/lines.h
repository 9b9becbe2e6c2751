// Text cut into lines and tokens, a block at a time: bit masks tell where blanks are, and only the
// places where a token begins or a line ends are visited.
#pragma once

#include <vector>

#include "text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hungjury {

// One line of a file: [begin, end) without its newline. Tokens are what stands between blanks.
struct Line {
    const char *begin, *end;
    const char *block;       // what `starts` counts from
    const char *readable;    // bytes up to here may be looked at
    const uint32_t *starts;  // where each token begins
    uint32_t count;          // of tokens
    uint64_t number;

    Bytes token(uint32_t i) const {
        const char *from = block + starts[i], *to = i + 1 < count ? block + starts[i + 1] - 1 : end;
        while (is_blank(to[-1])) --to;  // rarely: nearly always one blank stands between tokens
        return Bytes(from, static_cast<size_t>(to - from));
    }
    bool is_comment() const { return begin < end && *begin == '#'; }
};

// Bit i tells of byte i of 64.
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
    struct End {
        uint32_t at, tokens;  // of the newline; tokens of the block before it
    };
    // Hands over every line of a block that ends with a newline.
    template <class Reader> void walk(Bytes block, Reader &reader) {
        if (block.size() > UINT32_MAX) throw BadLine(number_ + 1, "the line is too long");
        index(block);
        const char *text = block.data();
        Line line{text, text, text, text + block.size(), starts_.data(), 0, number_};
        uint32_t done = 0;
        for (size_t i = 0; i < lines_; ++i) {
            line.end = text + ends_[i].at;
            line.starts = starts_.data() + done;
            line.count = ends_[i].tokens - done;
            line.number = ++number_;
            reader.line(line);
            line.begin = line.end + 1;
            done = ends_[i].tokens;
        }
    }
    void index(Bytes block) {
        tokens_ = lines_ = 0;
        uint64_t after_blank = 1;  // a block begins a line
        size_t at = 0;
        for (; at + 64 <= block.size(); at += 64)
            after_blank = add(masks_of_64(block.data() + at), after_blank, static_cast<uint32_t>(at));
        char last[64];
        std::memset(last, ' ', sizeof last);
        std::memcpy(last, block.data() + at, block.size() - at);
        add(masks_of_64(last), after_blank, static_cast<uint32_t>(at));
    }
    // Takes in 64 bytes; returns whether the last of them is a blank.
    uint64_t add(Masks masks, uint64_t after_blank, uint32_t at) {
        if (tokens_ + 64 > starts_.size()) starts_.resize(2 * tokens_ + 1024);
        if (lines_ + 64 > ends_.size()) ends_.resize(2 * lines_ + 256);
        uint64_t begins = ~masks.blank & (masks.blank << 1 | after_blank);
        auto before = static_cast<uint32_t>(tokens_);
        for (uint64_t m = masks.newline; m; m &= m - 1)
            ends_[lines_++] = {at + lowest_bit(m), before + bit_count(begins & (m ^ (m - 1)))};
        for (uint64_t m = begins; m; m &= m - 1) starts_[tokens_++] = at + lowest_bit(m);
        return masks.blank >> 63;
    }
    std::string carry_;
    uint64_t number_ = 0;
    std::vector<uint32_t> starts_;  // the first `tokens_` count
    std::vector<End> ends_;         // the first `lines_` count
    size_t tokens_ = 0, lines_ = 0;
};

}  // namespace hungjury
