"""What a row needs to know at a node, and how rows go down."""

cdef enum:
    TOGETHER = 16


cdef packed struct Step:
    # The right child comes after the left one. A leaf is its own left child, with an infinite threshold: a row that
    # goes on stays there, so rows can go down together without asking at each step who has arrived.
    int feature
    float threshold
    int left
    float share


cdef inline void follow(const Step* steps, int* at, const float** rows) noexcept nogil:
    """Take TOGETHER rows from the nodes ``at`` to their leaves; one waits for memory while others go on."""
    cdef int k, after, moved = 1
    while moved:
        moved = 0
        # Two steps for each question whether a row has moved: it costs as much as a third of a step.
        for k in range(TOGETHER):
            at[k] = steps[at[k]].left + (rows[k][steps[at[k]].feature] > steps[at[k]].threshold)
        for k in range(TOGETHER):
            after = steps[at[k]].left + (rows[k][steps[at[k]].feature] > steps[at[k]].threshold)
            moved |= after ^ at[k]
            at[k] = after
