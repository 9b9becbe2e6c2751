"""DRAWS GOLD QRELS JUDGES LABELS... RUN...: a leaderboard of so many files of labels, with GOLD
labels of a random sample of QRELS."""

import json
import random
import sys

import hungjury as hj

draws, gold, qrels, judges, *files = sys.argv[1:]
labels, runs = files[: int(judges)], files[int(judges) :]
asked = {}
if int(gold):
    with open(qrels) as file:
        lines = [line.split() for line in file]
    people = {}
    for topic, _, document, label in random.Random(1).sample(lines, int(gold)):
        people.setdefault(topic, {})[document] = int(label)
    asked = {"gold": people, "gold_design": "random"}
board = hj.leaderboard(labels, runs, "nDCG@10", draws=int(draws), **asked)
print(json.dumps({"values": {"best": float(board.mean[0])}}))
