// Separated tables without anything unusual in them: no quotes, ASCII text, as many fields in each
// row as there are columns. Everything else is left to a slower reader.
#pragma once

#include <cstring>
#include <vector>

#include "labels.h"

namespace hungjury {

// Where the columns of labels are; -1: there is none.
struct LabelColumns {
    int64_t topic, judge, document, label;
};

class PlainTable {
  public:
    PlainTable(Bytes text, char mark, size_t columns) : text_(text), mark_(mark), fields_(columns) {}

    // Adds all rows, or none and tells so. Lines are counted from `line`.
    bool add_to(LabelTable &table, const LabelColumns &at, Bytes only_topic, uint64_t line) {
        auto id = [&](int64_t column) { return fields_[static_cast<size_t>(column)]; };
        auto label = [&](double &value) {
            Bytes text = id(at.label);
            return !text.empty() && parse_number(text, text_.data() + text_.size(), value);
        };
        bool good = plain_bytes() && each_row(line, [&](uint64_t) {
            double value;
            return !id(at.document).empty() && (at.topic < 0 || !id(at.topic).empty()) &&
                   (at.judge < 0 || !id(at.judge).empty()) && label(value);
        });
        return good && each_row(line, [&](uint64_t number) {
            double value = 0;
            label(value);
            table.add(at.topic < 0 ? only_topic : id(at.topic), at.judge < 0 ? Bytes() : id(at.judge),
                      id(at.document), value, number);
            return true;
        });
    }

  private:
    bool plain_bytes() const {
        const char quote = mark_ == '\t' ? '\n' : '"';
        unsigned odd = 0, returns = 0;
        for (char c : text_) {  // without branches: many bytes at once
            auto byte = static_cast<unsigned char>(c);
            unsigned control = (byte < ' ') & (c != '\n') & (c != '\t') & (c != '\r');
            odd |= control | (byte >= 0x7f) | ((c == quote) & (c != '\n'));
            returns |= c == '\r';
        }
        if (odd) return false;
        for (size_t i = 0; returns && i < text_.size(); ++i)
            if (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')) return false;
        return true;
    }
    // Calls `row` with the number of each line that is not empty, until one is refused.
    template <class Row> bool each_row(uint64_t number, Row row) {
        const char *p = text_.data(), *end = p + text_.size();
        for (; p < end; ++number) {
            auto *stop = static_cast<const char *>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
            if (!stop) stop = end;
            const char *last = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
            if (last > p && !(split(p, last) && row(number))) return false;
            p = stop + 1;
        }
        return true;
    }
    bool split(const char *p, const char *end) {
        if (end - p > kLongest) return false;
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
    static constexpr ptrdiff_t kLongest = 100'000;  // a line that is longer is unusual
    Bytes text_;
    char mark_;
    std::vector<Bytes> fields_;
};

}  // namespace hungjury
