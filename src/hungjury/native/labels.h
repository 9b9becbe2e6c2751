// TREC qrels: `topic iteration document label`, any blanks between.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lines.h"
#include "numbers.h"
#include "pool.h"

namespace hungjury {

// Column-wise labels; topics, iterations and (topic, document) pairs as codes.
class LabelTable {
  public:
    // So many bytes will be fed: room is made for their rows at once, since growing costs more than
    // the parsing. Memory that is not used in the end is never touched. Files mostly name the same
    // documents: the largest one tells how many.
    void expect(size_t bytes, size_t largest) {
        expected_ = bytes;
        largest_ = largest;
    }
    void feed(Bytes chunk) {
        make_room(chunk);
        lines_.feed(chunk, *this);
    }
    void finish() {
        lines_.finish(*this);
        lines_ = Lines();  // the next file counts its lines from 1
    }
    // Labels may be words, of any number, or left out.
    void take_words() { takes_words_ = true; }
    // Judges are not named there: iterations are not kept.
    void skip_iterations() { skips_iterations_ = true; }
    void line(const Line &one) {
        if (one.count == 0 || one.is_comment()) return;
        if (one.count != 4 && !(takes_words_ && one.count >= 3))
            throw BadLine(one.number, one.count > 4 ? "many-columns" : "few-columns",
                          "expected 4 columns (topic iteration document label), found " +
                              (one.count > 4 ? "more" : std::to_string(one.count)));
        Bytes topic = one.token(0), document = one.token(2);
        Bytes text = one.count == 4 ? one.token(3) : one.rest(3);
        check_utf8("topic", topic, one.number);
        check_utf8("document", document, one.number);
        double label;
        if (text.empty() || !parse_number(text, one.readable, label)) {
            label = std::numeric_limits<double>::quiet_NaN();
            words.emplace_back(label_of.size(), std::string(text));
        }
        add(topic, one.token(1), document, label, one.number);
    }
    void add(Bytes topic, Bytes iteration, Bytes document, double label, uint64_t line) {
        if (line > UINT32_MAX) throw std::length_error("more than 2^32 lines");
        // Neighbouring lines mostly share topic and iteration.
        if (topic_ >= ids.topics.size() || !same(topic, ids.topics[topic_]))
            topic_ = static_cast<size_t>(ids.topics.add(topic));
        if (!skips_iterations_) {
            if (iteration_ >= iterations.size() || !same(iteration, iterations[iteration_]))
                iteration_ = static_cast<size_t>(iterations.add(iteration));
            iteration_of.push_back(static_cast<int32_t>(iteration_));
        }
        int32_t pair = ids.documents.add(document, topic_);
        if (static_cast<size_t>(pair) == pair_topic.size())
            pair_topic.push_back(static_cast<int32_t>(topic_));
        pair_of.push_back(pair);
        label_of.push_back(label);
        line_of.push_back(static_cast<uint32_t>(line));
    }
    // Room for what is expected, by the length of the lines of a first piece.
    void make_room(Bytes chunk) {
        if (!expected_) return;
        auto lines = static_cast<size_t>(std::count(chunk.begin(), chunk.end(), '\n'));
        auto rows_of = [&](size_t bytes) {  // a label takes eight bytes
            size_t pieces = bytes / std::max<size_t>(chunk.size(), 1) + 1;
            return std::min((lines + 1) * pieces, bytes / 8 + 1);
        };
        size_t rows = label_of.size() + rows_of(expected_), documents = rows_of(largest_);
        for (auto *column : {&iteration_of, &pair_of}) column->reserve(rows);
        label_of.reserve(rows);
        line_of.reserve(rows);
        pair_topic.reserve(documents);
        ids.documents.reserve(documents, documents * (chunk.size() / (lines + 1)));
        expected_ = 0;
    }
    // Forgets rows and iterations but the first. Ids stay: a pool has only those that rows name.
    void cut(size_t rows, size_t first_iterations) {
        auto shorten = [rows](auto &column) { column.resize(std::min(rows, column.size())); };
        shorten(pair_of);
        shorten(iteration_of);
        shorten(label_of);
        shorten(line_of);
        Interner kept;
        for (size_t i = 0; i < std::min(first_iterations, iterations.size()); ++i) kept.add(iterations[i]);
        iterations = std::move(kept);
        iteration_ = 0;
    }

    Ids ids;
    Interner iterations;
    std::vector<int32_t> pair_topic;
    std::vector<int32_t> iteration_of, pair_of;
    std::vector<double> label_of;
    std::vector<uint32_t> line_of;
    std::vector<std::pair<size_t, std::string>> words;  // row and text of labels that are not numbers

  private:
    Lines lines_;
    size_t expected_ = 0, largest_ = 0;
    bool takes_words_ = false, skips_iterations_ = false;
    size_t topic_ = 0, iteration_ = 0;  // of the latest row
};

}  // namespace hungjury
