"""Tests over topics: which systems differ."""
