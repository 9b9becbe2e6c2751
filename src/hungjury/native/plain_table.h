// Separated tables without anything unusual in them: no quotes, ASCII text, as many fields in each
// row as there are columns. Everything else is left to a slower reader.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "labels.h"

namespace hungjury {

// Where the columns of labels are; -1: there is none.
struct LabelColumns {
    int64_t topic, judge, document, label;
};

// Adds the rows of a table to labels, piece by piece, after its header. If `feed` or `finish` is
// false, the table is not plain, and `undo` takes back all that was added.
class PlainTable {
  public:
    PlainTable(LabelTable &labels, char mark, size_t columns, LabelColumns at, Bytes only_topic)
        : labels_(labels), mark_(mark), at_(at), only_topic_(only_topic), fields_(columns),
          rows_before_(labels.label_of.size()), iterations_before_(labels.iterations.size()) {}

    bool feed(Bytes piece) {
        labels_.make_room(piece);
        if (!plain_bytes(piece)) return false;
        const char *p = piece.data(), *end = p + piece.size();
        while (auto *stop = static_cast<const char *>(
                   p < end ? std::memchr(p, '\n', static_cast<size_t>(end - p)) : nullptr)) {
            bool good;
            if (begun_.empty()) {
                good = line(p, stop, end);
            } else {  // by the piece before
                begun_.append(p, stop);
                good = begun_line();
            }
            if (!good) return false;
            p = stop + 1;
        }
        begun_.append(p, end);
        return begun_.size() <= kLongest;
    }
    // A last line may have no newline, but a return alone is unusual.
    bool finish() { return begun_.empty() || (begun_.back() != '\r' && begun_line()); }
    void undo() { labels_.cut(rows_before_, iterations_before_); }

  private:
    bool plain_bytes(Bytes piece) const {
        const char quote = mark_ == '\t' ? '\n' : '"';
        unsigned odd = 0;
        for (char c : piece) {  // without branches: many bytes at once
            auto byte = static_cast<unsigned char>(c);
            unsigned control = (byte < ' ') & (c != '\n') & (c != '\t') & (c != '\r');
            odd |= control | (byte >= 0x7f) | ((c == quote) & (c != '\n'));
        }
        return !odd;
    }
    bool begun_line() {
        bool good = line(begun_.data(), begun_.data() + begun_.size(), begun_.data() + begun_.size());
        begun_.clear();
        return good;
    }
    // One line; `readable` is the end of what lies behind it in memory.
    bool line(const char *p, const char *stop, const char *readable) {
        ++number_;
        if (stop > p && stop[-1] == '\r') --stop;
        if (number_ == 1 || stop == p) return true;  // the header; an empty line
        if (!split(p, stop)) return false;
        auto id = [&](int64_t column) { return fields_[static_cast<size_t>(column)]; };
        Bytes document = id(at_.document), label = id(at_.label);
        Bytes topic = at_.topic < 0 ? Bytes(only_topic_) : id(at_.topic);
        Bytes judge = at_.judge < 0 ? Bytes() : id(at_.judge);
        double value = 0;
        if (document.empty() || topic.empty() || (at_.judge >= 0 && judge.empty()) ||
            label.empty() || !parse_number(label, readable, value))
            return false;
        labels_.add(topic, judge, document, value, number_);
        return true;
    }
    bool split(const char *p, const char *end) {
        if (end - p > static_cast<ptrdiff_t>(kLongest)) return false;
        if (std::memchr(p, '\r', static_cast<size_t>(end - p))) return false;  // ends a line, elsewhere
        for (size_t i = 0; i < fields_.size(); ++i) {
            auto *stop = static_cast<const char *>(std::memchr(p, mark_, static_cast<size_t>(end - p)));
            if (!stop) stop = end;
            if ((stop == end) != (i + 1 == fields_.size())) return false;
            const char *from = p, *to = stop;
            while (from < to && is_blank(*from)) ++from;
            while (from < to && is_blank(to[-1])) --to;
            fields_[i] = Bytes(from, static_cast<size_t>(to - from));
            p = stop + 1;
        }
        return true;
    }

    static constexpr size_t kLongest = 100'000;  // a line that is longer is unusual
    LabelTable &labels_;
    char mark_;
    LabelColumns at_;
    std::string only_topic_, begun_;
    std::vector<Bytes> fields_;
    size_t rows_before_, iterations_before_;
    uint64_t number_ = 0;  // of the latest line
};

}  // namespace hungjury
