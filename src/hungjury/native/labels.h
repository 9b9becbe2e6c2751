// TREC qrels: `topic iteration document label`, any blanks between.
#pragma once

#include "intern.h"
#include "lines.h"
#include "numbers.h"

namespace hungjury {

// Column-wise labels; topics, iterations and (topic, document) pairs as codes.
class LabelTable {
  public:
    void feed(Bytes chunk) { lines_.feed(chunk, *this); }
    void finish() {
        lines_.finish(*this);
        lines_ = Lines();  // the next file counts its lines from 1
    }
    void line(const Line &one) {
        if (one.count == 0 || one.is_comment()) return;
        if (one.count != 4)
            throw BadLine(one.number, "expected 4 columns (topic iteration document label), found " +
                                      (one.count > 4 ? "more" : std::to_string(one.count)));
        Bytes topic = one.token(0), document = one.token(2), text = one.token(3);
        check_utf8("topic", topic, one.number);
        check_utf8("document", document, one.number);
        double label;
        if (!parse_number(text, one.readable, label))
            throw BadLine(one.number, "the label '" + shown(text) + "' is no number");
        add(topic, one.token(1), document, label, one.number);
    }
    void add(Bytes topic, Bytes iteration, Bytes document, double label, uint64_t line) {
        // Neighbouring lines mostly share topic and iteration.
        auto t = pair_of.empty() || !same(topic, topics[last_topic_]) ? topics.add(topic)
                                                                     : static_cast<int32_t>(last_topic_);
        if (pair_of.empty() || !same(iteration, iterations[last_iteration_]))
            last_iteration_ = static_cast<size_t>(iterations.add(iteration));
        last_topic_ = static_cast<size_t>(t);
        iteration_of.push_back(static_cast<int32_t>(last_iteration_));
        auto pair = pairs.add(document, static_cast<size_t>(t));
        if (static_cast<size_t>(pair) == pair_topic.size()) pair_topic.push_back(t);
        pair_of.push_back(pair);
        label_of.push_back(label);
        line_of.push_back(static_cast<int64_t>(line));
    }

    Interner topics, iterations, pairs;
    std::vector<int32_t> pair_topic;
    std::vector<int32_t> iteration_of, pair_of;
    std::vector<double> label_of;
    std::vector<int64_t> line_of;

  private:
    Lines lines_;
    size_t last_topic_ = 0, last_iteration_ = 0;
};

}  // namespace hungjury
