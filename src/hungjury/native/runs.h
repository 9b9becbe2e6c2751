// TREC runs: `topic Q0 document rank score tag`, any blanks between, text after the tag ignored. The
// rank, which nothing depends on, has to be an integer: an id with a blank in it is noticed by that.
#pragma once

#include <algorithm>
#include <memory>

#include "alignment.h"
#include "lines.h"
#include "numbers.h"

namespace hungjury {

struct RunLine {
    Bytes topic, document, tag;
    double score;
    int32_t rank;
};

[[noreturn]] HUNGJURY_RARE inline void refuse_columns(const Line &line) {
    throw BadLine(line.number, "few-columns",
                  "expected 6 columns (topic Q0 document rank score tag), found " +
                      std::to_string(line.count));
}
[[noreturn]] HUNGJURY_RARE inline void refuse_score(const Line &line) {
    throw BadLine(line.number, "not-a-number",
                  "the score '" + shown(line.token(4)) + "' is not a finite number");
}
[[noreturn]] HUNGJURY_RARE inline void refuse_rank(const Line &line) {
    throw BadLine(line.number, "not-an-integer", "the rank '" + shown(line.token(3)) + "' is not an integer");
}

[[noreturn]] HUNGJURY_RARE inline void refuse_blank(const Line &line) {
    throw BadLine(line.number, "blank-in-score",
                  "the score '" + shown(line.token(4)) + " " + shown(line.token(5)) + "' has a blank in it");
}
// Three digits before more text are the end of a number such as 3 000, not a tag.
inline bool ends_number(Bytes tag) {
    return tag.size() == 3 && std::all_of(tag.begin(), tag.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// False for a blank line or a comment.
HUNGJURY_INLINE bool parse_run_line(const Line &line, RunLine &out) {
    if (line.count == 0 || line.is_comment()) return false;
    if (line.count < 6) refuse_columns(line);
    out.topic = line.token(0);
    out.document = line.token(2);
    out.tag = line.token(5);
    if (!parse_integer(line.token(3), line.readable, out.rank)) refuse_rank(line);
    if (!parse_number(line.token(4), line.readable, out.score)) refuse_score(line);
    if (line.count > 6 && ends_number(out.tag)) refuse_blank(line);
    return true;
}

// Remembers a run's tags: the first names the system, a second one is reported. Tags and topics
// have to be UTF-8; documents are not looked at: there are many, and those of the pool are UTF-8.
struct Tags {
    std::string first, second;
    void see(Bytes tag, uint64_t line) {
        if (!same(tag, first)) see_other(tag, line);
    }
    HUNGJURY_RARE void see_other(Bytes tag, uint64_t line) {
        check_utf8("tag", tag, line);
        if (first.empty()) first = tag;
        else if (second.empty()) second = tag;
    }
    void append(const Tags &next) {
        for (const std::string &tag : {next.first, next.second})
            if (!tag.empty()) see(tag, 0);
    }
};

// A whole run in memory, for any pool that comes later.
class RunStore {
  public:
    void feed(Bytes chunk) { lines_.feed(chunk, *this); }
    void add(Bytes topic, Bytes document, double score, int32_t rank, uint64_t number) {
        if (current_ < 0 || topics[static_cast<size_t>(current_)] != topic) {
            current_ = topics.add(topic);
            if (static_cast<size_t>(current_) == lists.size()) {
                lists.emplace_back();  // first: there are as many lists as topics, whatever happens
                check_utf8("topic", topic, number);
            }
        }
        lists[static_cast<size_t>(current_)].add(document, score, rank, number);
    }
    void finish() {
        lines_.finish(*this);
        DuplicateFinder duplicates;
        for (size_t t = 0; t < lists.size(); ++t) {
            duplicates.check(lists[t], topics[t]);
            lists[t].settle();
        }
    }
    void align(const Pool &pool, Alignment &out) const {
        for (size_t t = 0; t < lists.size(); ++t) {
            auto topic = pool.topic(topics[t]);
            if (topic >= 0) out.add(lists[t], topic, pool);
        }
    }

    Interner topics;
    std::vector<RankedList> lists;
    Tags tags;

    void line(const Line &one) {
        RunLine row;
        if (!parse_run_line(one, row)) return;
        tags.see(row.tag, one.number);
        add(row.topic, row.document, row.score, row.rank, one.number);
    }

  private:
    Lines lines_;
    int32_t current_ = -1;
};

// A run aligned while it is read: one list is in memory at a time. Wants the lines of a topic to
// stand together; where they do not, `interleaved` is set and the caller reads a RunStore instead.
class RunStream {
  public:
    RunStream(std::shared_ptr<const Pool> pool, Ranking how)
        : out(how), pool_(std::move(pool)), seen_(pool_->topics()) {}

    void feed(Bytes chunk) { lines_.feed(chunk, *this); }
    void finish() {
        lines_.finish(*this);
        close();
    }

    // The part of the same file that follows this one, read by another stream.
    void append(const RunStream &next) {
        if (&next == this || next.pool_ != pool_)
            throw std::invalid_argument("expected another stream of the same pool");
        out.append(next.out);
        tags.append(next.tags);
        interleaved |= next.interleaved;
        for (size_t t = 0; t < seen_.size(); ++t) {
            interleaved |= seen_[t] && next.seen_[t];
            seen_[t] |= next.seen_[t];
        }
        for (size_t t = 0; t < next.others_.size(); ++t) see_other(next.others_[t]);
        rows += next.rows;
    }
    void line(const Line &one) {
        RunLine row;
        if (!parse_run_line(one, row)) return;
        ++rows;
        tags.see(row.tag, one.number);
        if (rows == 1 || !same(row.topic, name_)) open(row.topic, one.number);
        judged_.expect(list_.add(row.document, row.score, row.rank, one.number));
    }
    size_t other_topics() const { return others_.size(); }

    Alignment out;
    Tags tags;
    bool interleaved = false;
    uint64_t rows = 0;

  private:
    HUNGJURY_RARE void open(Bytes topic, uint64_t line) {
        close();
        check_utf8("topic", topic, line);
        name_ = topic;
        topic_ = pool_->topic(topic);
        judged_ = pool_->documents_of(topic_);
        if (topic_ < 0) return see_other(topic);
        char &seen = seen_[static_cast<size_t>(topic_)];
        interleaved |= seen;
        seen = true;
    }
    void see_other(Bytes topic) {
        auto before = others_.size();
        others_.add(topic);
        interleaved |= others_.size() == before;
    }
    // A list without judgments is looked through too: a broken run is broken for any labels.
    void close() {
        duplicates_.check(list_, name_);
        if (topic_ >= 0 && list_.size() > 0) out.add(list_, topic_, *pool_);
        list_.clear();
    }
    std::shared_ptr<const Pool> pool_;
    std::vector<char> seen_;  // topics of the pool
    Interner others_;         // topics outside of it
    Lines lines_;
    RankedList list_;
    DuplicateFinder duplicates_;
    std::string name_;
    int32_t topic_ = -1;
    Interner::Scope judged_ = pool_->documents_of(topic_);  // of the topic
};

}  // namespace hungjury
