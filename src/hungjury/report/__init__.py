"""Result types in, pages out; computes nothing."""
