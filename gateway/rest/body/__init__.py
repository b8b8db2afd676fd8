"""Bodies of requests: what is read at once, what a process of its own reads, and HTML that is cleaned."""
