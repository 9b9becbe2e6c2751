"""Repeated labels of one judge for one document, by loops."""


def mean_label(labels):
    """The share of votes of labels 0 and 1."""
    return sum(labels) / len(labels)


def majority_label(labels):
    """The most frequent label, the lower one of two."""
    best = None
    for label in sorted(set(labels)):
        if best is None or labels.count(label) > labels.count(best):
            best = label
    return best


def variance_of_repeats(documents):
    """Mean variance of the labels of a document, the share of documents whose labels differ, and
    how many documents have more than one label."""
    variances, differ = [], 0
    for labels in documents:
        if len(labels) < 2:
            continue
        mean = sum(labels) / len(labels)
        variances.append(sum((label - mean) ** 2 for label in labels) / (len(labels) - 1))
        differ += len(set(labels)) > 1
    return sum(variances) / len(variances), differ / len(variances), len(variances)
