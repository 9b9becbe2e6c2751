"""Are leaderboards true on real LLM judges? ``python -m benchmarks.truth``"""
