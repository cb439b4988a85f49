"""What a row needs to know at a node, and how rows go down."""

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define PUBENCH_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PUBENCH_PREFETCH(address) (void) (address)
    #endif
    """
    void prefetch "PUBENCH_PREFETCH"(const void* address) noexcept nogil

cdef enum:
    TOGETHER = 16
    # Steps between two looks at which rows have arrived; rows, and features of them, to read ahead.
    STEPS = 10
    AHEAD = 8
    READ_AHEAD = 64


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


cdef inline void descend(
    const Step* steps, int root, const float* X, Py_ssize_t d, Py_ssize_t n, int* leaves
) noexcept nogil:
    """Find the leaves of n rows in one tree. A row that has arrived makes room for the next one."""
    cdef const float* rows[TOGETHER]
    cdef int at[TOGETHER]
    cdef Py_ssize_t which[TOGETHER]
    cdef Py_ssize_t waiting = TOGETHER, arrived
    cdef int k, step, node
    enter(root, X, d, 0, n, at, rows, which)
    while waiting + TOGETHER <= n:
        for step in range(STEPS):
            for k in range(TOGETHER):
                at[k] = steps[at[k]].left + (rows[k][steps[at[k]].feature] > steps[at[k]].threshold)
        for k in range(TOGETHER):
            node = at[k]
            leaves[which[k]] = node
            # All bits if the row has arrived, else none: a branch would often be mispredicted.
            arrived = -<Py_ssize_t> (steps[node].left == node)
            at[k] = node ^ ((node ^ root) & <int> arrived)
            which[k] ^= (which[k] ^ waiting) & arrived
            rows[k] = X + which[k] * d
            waiting -= arrived
            for step in range(0, READ_AHEAD, 16):
                prefetch(X + (waiting + AHEAD) * d + step)
    settle(steps, at, rows, which, leaves)
    if waiting < n:
        enter(root, X, d, waiting, n, at, rows, which)
        settle(steps, at, rows, which, leaves)


cdef inline void enter(
    int root, const float* X, Py_ssize_t d, Py_ssize_t start, Py_ssize_t n, int* at, const float** rows,
    Py_ssize_t* which
) noexcept nogil:
    """Put TOGETHER rows at the root; where rows run out, the last one goes along again."""
    cdef int k
    for k in range(TOGETHER):
        which[k] = min(start + k, n - 1)
        rows[k] = X + which[k] * d
        at[k] = root


cdef inline void settle(
    const Step* steps, int* at, const float** rows, const Py_ssize_t* which, int* leaves
) noexcept nogil:
    """Take TOGETHER rows to their leaves, and note these."""
    cdef int k
    follow(steps, at, rows)
    for k in range(TOGETHER):
        leaves[which[k]] = at[k]
