// Hostile text through every native parser, for a build with sanitizers (`make sanitize`).
//
// Valid files are changed at random (bytes flipped, inserted, deleted, slices repeated) and fed in
// pieces of random size. What the parsers make of them is not looked at: a result and a BadLine are
// both fine, a report of a sanitizer ends the program. Arguments: rounds, seed.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "actions.h"
#include "labels.h"
#include "letor.h"
#include "runs.h"

using namespace hungjury;

namespace {

std::mt19937_64 rng;

size_t below(size_t n) { return n ? rng() % n : 0; }

const char *const kSeeds[] = {
    "1 0 a 1\n1 0 b 0\n2 0 doc-22 -1\n# comment\n\n2 0 x 0.25\r\n",
    "1 Q0 a 1 2.5 tag\n1 Q0 b 2 1e-3 tag more\n2 Q0 c 1 -0 tag\n2 Q0 d 2 12345678.12345678 tag\n",
    "2 qid:1 1:0.5 2:nan 7:-1e5 # docid = D1 x\n0 qid:1 1:1\n1 qid:2 3:0.25 # D2\n",
    "s1\t0\tQ\t12\t3\tu1\tu2\tu3\ns1\t5\tC\tu2\ns2\t1\tQ\t1\t1\ta\tb\ns2\t0\tC\tz\n",
};

std::string changed(std::string text) {
    static const char kOdd[] = " \t\n\r#:.,-+eE0123456789\0\xff\x80qidnaQC";
    for (size_t k = 1 + below(8); k > 0; --k) {
        size_t at = below(text.size() + 1), size = 1 + below(20);
        switch (below(5)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
            break;
        case 1:
            for (size_t i = 0; i < size; ++i) text.insert(at, 1, kOdd[below(sizeof kOdd - 1)]);
            break;
        case 2: text.erase(at, size); break;
        case 3: text.insert(at, text.substr(below(text.size() + 1), 10 * size)); break;
        default: text.insert(at, std::string(below(300), static_cast<char>(rng()))); break;
        }
    }
    return text;
}

// In pieces that end where their memory ends, so that reading beyond them is noticed.
template <class Parser> bool parsed(Parser &parser, const std::string &text) {
    try {
        for (size_t at = 0; at < text.size();) {
            size_t size = std::min(text.size() - at, 1 + below(below(2) ? 8 : 300));
            std::unique_ptr<char[]> piece(new char[size]);
            std::memcpy(piece.get(), text.data() + at, size);
            parser.feed(Bytes(piece.get(), size));
            at += size;
        }
        parser.finish();
    } catch (const BadLine &) {
        return false;
    }
    return true;
}

void round_trip(const std::string &text) {
    LabelTable labels;
    labels.expect(text.size(), text.size());
    parsed(labels, text);
    auto pool = std::make_shared<Pool>(std::vector<std::string>{"1", "2"},
                                       std::vector<std::string>{"a", "b", "c"},
                                       std::vector<int64_t>{0, 2, 3});
    for (Ties ties : {Ties::trec, Ties::input, Ties::expected}) {
        Ranking how;
        how.ties = ties;
        how.single = below(2);
        how.depth = static_cast<int64_t>(below(4));
        how.others = static_cast<int64_t>(below(4));
        RunStream stream(pool, how);
        parsed(stream, text);
        RunStore whole;
        Alignment aligned(how);
        if (parsed(whole, text)) whole.align(*pool, aligned);
    }
    FeatureTable features;
    if (parsed(features, text)) features.take();
    ActionLog log(0);
    parsed(log, text);
}

// Offsets of ids must not wrap, whatever their width.
void check_offsets() {
    ListOf<uint8_t> list;
    std::vector<std::string> ids;
    try {
        for (size_t line = 1;; ++line) {
            std::string id(1 + below(40), static_cast<char>('a' + below(26)));
            list.add(id, 0, 0, line);
            ids.push_back(id);
        }
    } catch (const BadLine &) {
    }
    for (size_t i = 0; i < ids.size(); ++i)
        if (list.id(i) != Bytes(ids[i])) std::abort();
}

}  // namespace

int main(int count, char **arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 20000;
    rng.seed(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0);
    for (long i = 0; i < rounds; ++i) {
        round_trip(changed(kSeeds[below(4)]));
        if (i % 100 == 0) check_offsets();
    }
    std::printf("%ld rounds without a report\n", rounds);
}
