// Logs of actions, `session<TAB>time<TAB>Q<TAB>query<TAB>region<TAB>url...` and
// `session<TAB>time<TAB>C<TAB>url`: clicks are given the rank they have on their session's latest page.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "intern.h"
#include "lines.h"
#include "numbers.h"

namespace hungjury {

// Rows as columns; -1 where a row has no such thing.
struct ActionRows {
    std::vector<int64_t> session, page, query, record;
    std::vector<int32_t> rank, relevant;
    std::vector<double> time;
    std::vector<int8_t> kind;
};

// Expects the lines of a session to be adjacent, in any order; where they do not, `interleaved`
// is set, and the caller sorts the log first.
class ActionLog {
  public:
    enum Kind : int8_t { click, empty_page, unreadable };
    static constexpr size_t shown = 10;  // results of a page

    // Numbers of sessions, records and queries count from `first`.
    explicit ActionLog(int64_t first) : first_(first), session_(first), record_(first) {}

    // Labels a query, `name_region`: a page of it has this document as a relevant one; none if empty.
    void judge(Bytes query, Bytes document) {
        auto &labels = judged_[std::string(query)];
        if (!document.empty()) labels.push_back(hash_of(document));
    }
    void feed(Bytes chunk) { lines_.feed(chunk, *this); }
    void finish() {
        lines_.finish(*this);
        close();
    }
    void line(const Line &line) {
        const char *end = line.end;
        if (end > line.begin && end[-1] == '\r') --end;
        if (end == line.begin) return;
        std::array<Bytes, 5 + shown> field{};
        size_t fields = 0;
        for (const char *p = line.begin; p <= end && fields < field.size(); ++fields) {
            auto rest = static_cast<size_t>(end - p);
            auto *tab = static_cast<const char *>(std::memchr(p, '\t', rest));
            field[fields] = Bytes(p, tab ? static_cast<size_t>(tab - p) : rest);
            p = tab ? tab + 1 : end + 1;
        }
        if (record_ == first_ || !same(field[0], name_)) open(field[0]);
        take(field, line.readable);
    }
    // Takes in the sessions of another part of the log; some may be known already.
    void meet(const ActionLog &other) {
        if (&other == this) throw std::invalid_argument("expected another part of the log");
        interleaved |= other.interleaved;
        interleaved |= !seen_.add(other.seen_);
    }

    ActionRows rows;
    Interner queries;
    bool interleaved = false;

  private:
    struct Action {
        double time;  // last where it is unknown
        int64_t record;
        uint64_t item;  // what was clicked: the hash of its url, 0 for none
        size_t page;    // place in pages_, for Q records
        char what;      // Q or C
    };
    struct Page {
        int64_t record, query;
        int32_t relevant;  // documents of it; -1 for queries without labels
        std::array<uint64_t, shown> urls;
    };
    static uint64_t hash_of(Bytes url) { return url.empty() ? 0 : hash_bytes(url) | 1; }

    void open(Bytes session) {
        close();
        name_ = session;
        ++session_;
        interleaved |= !seen_.add(hash_bytes(session));
    }
    void take(const std::array<Bytes, 5 + shown> &field, const char *readable) {
        ++record_;
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        double time = unknown;
        if (field[1].empty() || !parse_number(field[1], readable, time)) time = unknown;
        char what = field[2].size() == 1 ? field[2][0] : ' ';
        if (what == 'C') {
            actions_.push_back({time, record_, hash_of(field[3]), 0, what});
        } else if (what == 'Q') {
            actions_.push_back({time, record_, 0, pages_.size(), what});
            pages_.push_back({record_, query(field[3], field[4]), -1, {}});
            Page &page = pages_.back();
            for (size_t r = 0; r < shown; ++r) page.urls[r] = hash_of(field[5 + r]);
            if (page.query >= 0) page.relevant = relevant_on(page.urls);
        } else {
            row(unreadable, time, record_, nullptr, -1);
        }
    }
    int64_t query(Bytes name, Bytes region) {
        if (name.empty() || region.empty()) return -1;
        query_.assign(name).append("_").append(region);
        return first_ + queries.add(query_);
    }
    // Of the query that was named last; a document that a page shows twice counts once.
    int32_t relevant_on(const std::array<uint64_t, shown> &urls) const {
        auto found = judged_.find(query_);
        if (found == judged_.end()) return -1;
        auto on_page = [&](uint64_t url) { return std::find(urls.begin(), urls.end(), url) != urls.end(); };
        return static_cast<int32_t>(std::count_if(found->second.begin(), found->second.end(), on_page));
    }
    // The session is complete: its actions in order of time, each click on the page before it.
    void close() {
        auto earlier = [](const Action &a, const Action &b) {
            return a.time < b.time || (std::isnan(b.time) && !std::isnan(a.time));
        };
        if (!std::is_sorted(actions_.begin(), actions_.end(), earlier))
            std::stable_sort(actions_.begin(), actions_.end(), earlier);
        const Page *page = nullptr;
        for (size_t i = 0; i < actions_.size(); ++i) {
            const Action &action = actions_[i];
            if (action.what == 'C') {
                row(click, action.time, action.record, page, rank_on(page, action.item));
                continue;
            }
            page = &pages_[action.page];
            if (i + 1 == actions_.size() || actions_[i + 1].what == 'Q')
                row(empty_page, action.time, action.record, nullptr, -1);
        }
        actions_.clear();
        pages_.clear();
    }
    static int32_t rank_on(const Page *page, uint64_t item) {
        if (!page || !item) return -1;
        for (size_t r = 0; r < shown; ++r)
            if (page->urls[r] == item) return static_cast<int32_t>(r + 1);
        return -1;
    }
    void row(Kind kind, double time, int64_t record, const Page *page, int32_t rank) {
        rows.session.push_back(name_.empty() ? -1 : session_);
        rows.page.push_back(page ? page->record : -1);
        rows.query.push_back(page ? page->query : -1);
        rows.record.push_back(record);
        rows.rank.push_back(rank);
        rows.relevant.push_back(page ? page->relevant : -1);
        rows.time.push_back(time);
        rows.kind.push_back(kind);
    }
    int64_t first_, session_, record_;
    Lines lines_;
    std::string name_, query_;
    std::vector<Action> actions_;
    std::vector<Page> pages_;
    std::unordered_map<std::string, std::vector<uint64_t>> judged_;
    HashSet seen_;  // of sessions: two whose hashes agree cost a sort, nothing else
};

}  // namespace hungjury
