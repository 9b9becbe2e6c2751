// LETOR / SVMlight text: `label qid:query 1:value 2:value ... # comment`, into a dense table.
#pragma once

#include <string>
#include <vector>

#include "lines.h"
#include "numbers.h"

namespace hungjury {

class FeatureTable {
  public:
    static constexpr int32_t kMostFeatures = 100'000;  // a larger number is a slip, not a feature
    // The table is dense. A large one has to be filled to some part: a few bytes of text must not
    // take gigabytes.
    static constexpr size_t kFreeCells = size_t{1} << 25, kCellsPerValue = 50;

    void feed(Bytes piece) { lines_.feed(piece, *this); }
    void finish() { lines_.finish(*this); }
    void line(const Line &one) {
        const char *p = one.begin, *end = std::find(p, one.end, '#');
        Bytes token = next(p, end);
        if (token.empty()) return;  // blank, or nothing but a comment
        double label;
        if (!parse_number(token, one.readable, label))
            throw BadLine(one.number, "not-a-number",
                          "the label '" + shown(token) + "' is not a number");
        token = next(p, end);
        if (token.substr(0, 4) != "qid:" || token.size() == 4)
            throw BadLine(one.number, "not-letor",
                          "expected qid:QUERY after the label, found '" + shown(token) + "'");
        check_utf8("query", token, one.number);
        token.remove_prefix(4);
        if (queries.empty() || !same(queries.back(), token)) {
            queries.emplace_back(token);
            starts.push_back(static_cast<int64_t>(labels.size()));
        }
        check_size(labels.size() + 1, stride_, one.number);
        labels.push_back(label);
        row_lines.push_back(static_cast<int64_t>(one.number));
        cells_.resize(labels.size() * stride_, 0.0);
        while (!(token = next(p, end)).empty()) feature(token, one);
        if (labels.size() == 1) restride(width);  // the first row mostly names all features
        documents.push_back(document(end < one.end ? end + 1 : end, one.end));
        check_utf8("document", documents.back(), one.number);
    }

    // All rows with `width` columns; the table is empty afterwards.
    std::vector<double> take() {
        if (stride_ != width) restride(width);
        return std::move(cells_);
    }

    std::vector<double> labels;
    std::vector<int64_t> starts;         // first row of each query
    std::vector<int64_t> row_lines;      // the line of each row
    std::vector<std::string> queries;    // one for each start
    std::vector<std::string> documents;  // one for each row, empty where the comment names none
    size_t width = 0;                    // the largest feature number seen

  private:
    void feature(Bytes token, const Line &line) {
        size_t colon = token.find(':');
        if (colon == Bytes::npos || colon == 0 || colon + 1 == token.size())
            throw BadLine(line.number, "not-letor",
                          "expected FEATURE:VALUE, found '" + shown(token) + "'");
        int32_t number;
        if (!parse_integer(token.substr(0, colon), line.readable, number))
            throw BadLine(line.number, "not-letor",
                          "expected FEATURE:VALUE, found '" + shown(token) + "'");
        if (number < 1)
            throw BadLine(line.number, "feature-number", "found feature " + std::to_string(number) +
                                                             ", but features count from 1");
        if (number > kMostFeatures)
            throw BadLine(line.number, "feature-number",
                          "found feature " + std::to_string(number) + ", but the largest allowed is " +
                              std::to_string(kMostFeatures));
        auto column = static_cast<size_t>(number);
        if (column > stride_) {
            size_t wider = std::max(column, 3 * stride_ / 2);
            check_size(labels.size(), wider, line.number);
            restride(wider);
        }
        ++values_;
        width = std::max(width, column);
        double value;
        Bytes text = token.substr(colon + 1);
        if (!parse_number(text, line.readable, value)) {
            if (!is_nan(text))
                throw BadLine(line.number, "not-a-number",
                              "the value of feature '" + shown(token) + "' is not a number");
            value = std::nan("");
        }
        cells_[(labels.size() - 1) * stride_ + column - 1] = value;
    }

    void check_size(size_t rows, size_t stride, uint64_t line) const {
        size_t cells = rows * stride;
        if (cells <= kFreeCells || cells / kCellsPerValue <= values_) return;
        throw BadLine(line, "too-sparse",
                      "the table of " + std::to_string(rows) + " documents by " +
                          std::to_string(stride) + " features would take " +
                          std::to_string(cells * sizeof(double) >> 20) + " MB, for " +
                          std::to_string(values_) + " values");
    }

    static bool is_nan(Bytes text) {
        return text.size() == 3 && (text[0] | 32) == 'n' && (text[1] | 32) == 'a' &&
               (text[2] | 32) == 'n';
    }

    // The rows with another number of columns, which is at least `width`.
    void restride(size_t stride) {
        size_t rows = labels.size();
        std::vector<double> wider(rows * stride, 0.0);
        for (size_t r = 0; r < rows; ++r)
            std::copy_n(cells_.begin() + static_cast<std::ptrdiff_t>(r * stride_), width,
                        wider.begin() + static_cast<std::ptrdiff_t>(r * stride));
        cells_.swap(wider);
        stride_ = stride;
    }

    static Bytes next(const char *&p, const char *end) {
        while (p < end && is_blank(*p)) ++p;
        const char *start = p;
        while (p < end && !is_blank(*p)) ++p;
        return Bytes(start, static_cast<size_t>(p - start));
    }

    // `docid = X ...` as LETOR writes it, else the comment's first word.
    static std::string document(const char *p, const char *end) {
        Bytes word = next(p, end);
        if (word.substr(0, 5) != "docid") return std::string(word);
        word.remove_prefix(5);
        if (word.empty() || word == "=" || word == ":") {
            Bytes sign = word.empty() ? next(p, end) : word;
            if (sign != "=" && sign != ":") return std::string(sign);
            return std::string(next(p, end));
        }
        if (word[0] == '=' || word[0] == ':') word.remove_prefix(1);
        return std::string(word);
    }

    Lines lines_;
    std::vector<double> cells_;
    size_t stride_ = 0;
    size_t values_ = 0;  // read so far
};

}  // namespace hungjury
