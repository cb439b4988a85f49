# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: language = c++
"""Grow one tree by recursive greedy risk minimisation (Wilton et al., 2022, Algorithms 1, 2, 4 and 5).

A node is a range of P rows and a range of U rows. Rows are split in a stable way, so both ranges ascend: columns
are read in order of memory, and sparse columns can be merged with them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.queue cimport priority_queue
from libcpp.utility cimport pair
from libcpp.vector cimport vector

import numpy as np

from pubench_extratrees._columns cimport Columns, take
from pubench_extratrees._group cimport LANES
from pubench_extratrees._node cimport Step
from pubench_extratrees._risk cimport least_risk, positive_share
from pubench_extratrees._scan cimport Range
from pubench_extratrees._search cimport Node, Search, Split, find

# A decrease of the risk, and the leaf it belongs to.
ctypedef pair[double, Py_ssize_t] Ranked


cdef class Grower:
    """One tree in the making."""

    cdef Search search
    cdef int[::1] p_rows, u_rows, spare, features
    cdef float[::1] values
    cdef uint32_t[::1] keys
    cdef vector[Step] steps
    cdef vector[int] n_p, n_u
    cdef vector[double] risks

    cdef Node add(
        self, long long p_start, long long p_end, long long u_start, long long u_end, long long depth
    ) noexcept nogil:
        """Append a leaf that holds these rows."""
        cdef Node node
        cdef Step step
        cdef long long n_p = p_end - p_start, n_u = u_end - u_start
        node.p_start, node.p_end, node.u_start, node.u_end = p_start, p_end, u_start, u_end
        node.depth, node.constant, node.id = depth, 0, <int> self.steps.size()
        node.risk = least_risk(&self.search.measure, n_p, n_u)
        step.feature, step.threshold, step.left = 0, INFINITY, node.id
        step.share = <float> positive_share(&self.search.measure, n_p, n_u)
        self.steps.push_back(step)
        self.n_p.push_back(<int> n_p)
        self.n_u.push_back(<int> n_u)
        self.risks.push_back(node.risk)
        return node

    cdef bint may_split(self, const Node* node) noexcept nogil:
        cdef long long n = node.p_end - node.p_start + node.u_end - node.u_start
        # Pure: nothing is left to gain (nnPU), or there is no limit to it (uPU). Rows of one kind have the same
        # share of positives however they are split.
        cdef bint pure = node.risk == 0.0 if self.search.measure.clipped else node.risk == -INFINITY
        pure = pure or node.p_start == node.p_end or node.u_start == node.u_end
        return (
            not pure
            and node.depth < self.search.rules.max_depth
            and n >= self.search.rules.min_split
            and n >= 2 * self.search.rules.min_leaf
        )

    cdef bint worth(self, const Split* split) noexcept nogil:
        return split.feature >= 0 and split.decrease >= self.search.rules.min_decrease

    cdef void split(self, const Node* node, const Split* by, Node* left, Node* right) noexcept nogil:
        """Part the rows of a node, in a stable way, and append its children."""
        cdef long long p_middle = node.p_start + by.n_p, u_middle = node.u_start + by.n_u
        cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start, step = 1
        cdef int* p_rows = &self.p_rows[0] + node.p_start
        cdef int* u_rows = &self.u_rows[0] + node.u_start
        cdef float* values = &self.values[0]
        cdef Range unused
        unused.low = unused.high = 0.0
        if by.lane >= 0:
            values += by.lane
            step = self.search.group.width
        else:
            take(&self.search.columns, by.feature, p_rows, n_p, values, unused)
            take(&self.search.columns, by.feature, u_rows, n_u, values + n_p, unused)
        self.part(values, step, by.threshold, p_rows, n_p)
        self.part(values + n_p * step, step, by.threshold, u_rows, n_u)
        left[0] = self.add(node.p_start, p_middle, node.u_start, u_middle, node.depth + 1)
        right[0] = self.add(p_middle, node.p_end, u_middle, node.u_end, node.depth + 1)
        self.steps[node.id].feature = by.feature
        self.steps[node.id].threshold = by.threshold
        self.steps[node.id].left = left.id

    cdef void part(self, const float* values, long long step, float threshold, int* rows, long long n) noexcept nogil:
        """Put the rows whose value is above the threshold behind the others; both keep their order."""
        cdef int* right = &self.spare[0]
        cdef long long i, kept = 0, moved = 0
        cdef int row
        cdef bint goes_left
        for i in range(n):
            row = rows[i]
            goes_left = values[i * step] <= threshold
            # Both are written and one counted: no branch to mispredict.
            rows[kept] = row
            right[moved] = row
            kept += goes_left
            moved += not goes_left
        memcpy(rows + kept, right, moved * sizeof(int))

    cdef void depth_first(self) noexcept nogil:
        cdef vector[Node] waiting
        cdef Node node, left, right
        cdef Split best
        waiting.push_back(self.add(0, self.p_rows.shape[0], 0, self.u_rows.shape[0], 0))
        while not waiting.empty():
            node = waiting.back()
            waiting.pop_back()
            if not self.may_split(&node):
                continue
            best = find(&self.search, &node)
            if not self.worth(&best):
                continue
            self.split(&node, &best, &left, &right)
            # What is constant in a node is so below it. The front of ``features`` keeps these through the whole
            # subtree, as nodes in it only ever exchange what comes after their own.
            left.constant = right.constant = node.constant
            waiting.push_back(right)
            waiting.push_back(left)

    cdef void best_first(self) noexcept nogil:
        """Split the leaf that lowers the risk most, until there are enough leaves."""
        cdef vector[Node] opened
        cdef vector[Split] splits
        # Of equal decreases the oldest comes first.
        cdef priority_queue[Ranked] order
        cdef Ranked top
        cdef Node node, left, right
        cdef Split best
        cdef long long leaves = 1, at = 0
        opened.push_back(self.add(0, self.p_rows.shape[0], 0, self.u_rows.shape[0], 0))
        while True:
            while at < <long long> opened.size():
                best.feature = -1
                if self.may_split(&opened[at]):
                    best = find(&self.search, &opened[at])
                    # Others are searched before it is split.
                    best.lane = -1
                splits.push_back(best)
                if self.worth(&best):
                    order.push(Ranked(best.decrease, -at))
                at += 1
            if order.empty() or leaves == self.search.rules.max_leaves:
                return
            top = order.top()
            order.pop()
            node, best = opened[-top.second], splits[-top.second]
            self.split(&node, &best, &left, &right)
            opened.push_back(left)
            opened.push_back(right)
            leaves += 1

    cdef object result(self):
        """Copy the tree into arrays."""
        cdef Py_ssize_t n = self.steps.size()
        steps = np.empty((n, 4), dtype=np.int32)
        n_p, n_u = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        risk = np.empty(n, dtype=np.float64)
        cdef int[:, ::1] steps_view = steps
        cdef int[::1] n_p_view = n_p, n_u_view = n_u
        cdef double[::1] risk_view = risk
        memcpy(&steps_view[0, 0], self.steps.data(), n * sizeof(Step))
        memcpy(&n_p_view[0], self.n_p.data(), n * sizeof(int))
        memcpy(&n_u_view[0], self.n_u.data(), n * sizeof(int))
        memcpy(&risk_view[0], self.risks.data(), n * sizeof(double))
        return steps, n_p, n_u, risk

    cdef void read(
        self, const float[::1] values, const int[::1] rows, const long long[::1] starts, long long d, bint by_row
    ):
        """Keep where the columns are."""
        self.search.columns.values = NULL
        self.search.columns.rows = NULL
        self.search.columns.starts = NULL
        # A sparse matrix may hold nothing at all.
        if values.shape[0]:
            self.search.columns.values = &values[0]
        if starts is not None:
            self.search.columns.starts = &starts[0]
            if rows.shape[0]:
                self.search.columns.rows = &rows[0]
        self.search.columns.row_step = d if by_row else 1
        self.search.columns.column_step = 1 if by_row else values.shape[0] // d
        self.search.most_together = LANES if starts is None else 1
        self.search.together = self.search.most_together

    cdef void obey(self, weights, rules, seed):
        cdef Search* search = &self.search
        (
            search.measure.positive_p, search.measure.negative_p, search.measure.negative_u,
            search.measure.loss, search.measure.clipped,
        ) = weights
        (
            search.rules.features, search.rules.thresholds, search.rules.max_depth, search.rules.max_leaves,
            search.rules.min_split, search.rules.min_leaf, search.rules.min_decrease,
        ) = rules
        search.random = <uint64_t> seed

    cdef void prepare(self, int[::1] p_rows, int[::1] u_rows, long long d):
        """Keep the rows to learn from, and make room for what growing needs."""
        cdef long long n = p_rows.shape[0] + u_rows.shape[0]
        self.p_rows, self.u_rows = p_rows, u_rows
        self.spare = np.empty(n, dtype=np.int32)
        self.values = np.empty(n * min(self.search.most_together, self.search.rules.features + 3), dtype=np.float32)
        self.features = np.arange(d, dtype=np.int32)
        self.search.p_rows, self.search.u_rows = &self.p_rows[0], &self.u_rows[0]
        self.search.features, self.search.n_features = &self.features[0], d
        self.search.values = &self.values[0]
        self.keys = np.empty(1 if self.search.rules.thresholds else 2 * n + 2, dtype=np.uint32)
        self.search.keys = &self.keys[0]


def grow(
    const float[::1] values,
    const int[::1] rows,
    const long long[::1] starts,
    int[::1] p_rows,
    int[::1] u_rows,
    long long n_features,
    weights,
    rules,
    seed,
    bint by_row=False,
):
    """Grow a tree.

    Parameters
    ----------
    values : float32 array
        Dense: the columns one after another, then ``rows`` and ``starts`` are None. Sparse: the stored values.
    rows, starts : int32 and int64 arrays, or None
        Of a sparse matrix in CSC format, rows ascending in each column.
    p_rows, u_rows : int32 arrays of shape (n_p,) and (n_u,)
        Rows to learn from, ascending; a row may be there more than once. They are put in order of the leaves.
    n_features : int
    weights : tuple
        The signed weights w(+1|P), w(-1|P), w(-1|U), the number of the loss, and whether the risk is nnPU's.
    rules : tuple
        Features and thresholds to try (0 thresholds: all), depth and leaves at most (0: no limit), rows to split
        and in a leaf at least, decrease of the risk at least.
    seed : int
        64 bits.
    by_row : bool
        Whether dense values come row after row instead.

    Returns
    -------
    steps : int32 array of shape (n_nodes, 4)
        The nodes, the root first: feature, threshold, left child and share of positives, the second and the fourth
        being the bits of float32 numbers.
    n_labelled, n_unlabelled : int32 arrays of shape (n_nodes,)
    risk : float64 array of shape (n_nodes,)
        The least risk of a constant prediction in each node.
    """
    cdef Grower grower = Grower.__new__(Grower)
    grower.read(values, rows, starts, n_features, by_row)
    grower.obey(weights, rules, seed)
    grower.prepare(p_rows, u_rows, n_features)
    with nogil:
        if grower.search.rules.max_leaves:
            grower.best_first()
        else:
            grower.depth_first()
    return grower.result()
