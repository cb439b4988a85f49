# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: language = c++
"""Grow one tree by recursive greedy risk minimisation (Wilton et al., 2022, Algorithms 1, 2, 4 and 5).

A node is a range of P rows and a range of U rows. Rows are split in a stable way, so both ranges ascend: columns
are read in order of memory, and sparse columns can be merged with them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.queue cimport priority_queue
from libcpp.utility cimport pair
from libcpp.vector cimport vector

import numpy as np

from pubench_extratrees._columns cimport Columns, take
from pubench_extratrees._node cimport Step
from pubench_extratrees._random cimport next_below, next_share
from pubench_extratrees._risk cimport Measure, least_risk, positive_share

# A decrease of the risk, and the leaf it belongs to.
ctypedef pair[double, Py_ssize_t] Ranked


cdef struct Rules:
    long long features
    long long thresholds  # 0: all
    long long max_depth
    long long max_leaves  # 0: no limit
    long long min_split
    long long min_leaf
    double min_decrease


cdef struct Node:
    long long p_start
    long long p_end
    long long u_start
    long long u_end
    long long depth
    long long constant  # how many features are known to be constant here
    double risk
    int id


cdef struct Split:
    int feature
    float threshold
    double decrease
    long long n_p
    long long n_u


cdef struct Range:
    float low
    float high


cdef class Grower:
    """One tree in the making."""

    cdef Columns columns
    cdef Measure measure
    cdef Rules rules
    cdef uint64_t random
    cdef int[::1] p_rows, u_rows, spare, features
    cdef float[::1] values
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
        node.risk = least_risk(&self.measure, n_p, n_u)
        step.feature, step.threshold, step.left = 0, INFINITY, node.id
        step.share = <float> positive_share(&self.measure, n_p, n_u)
        self.steps.push_back(step)
        self.n_p.push_back(<int> n_p)
        self.n_u.push_back(<int> n_u)
        self.risks.push_back(node.risk)
        return node

    cdef bint may_split(self, const Node* node) noexcept nogil:
        cdef long long n = node.p_end - node.p_start + node.u_end - node.u_start
        # Pure: nothing is left to gain (nnPU), or there is no limit to it (uPU). Rows of one kind have the same
        # share of positives however they are split.
        cdef bint pure = node.risk == 0.0 if self.measure.clipped else node.risk == -INFINITY
        pure = pure or node.p_start == node.p_end or node.u_start == node.u_end
        return (
            not pure
            and node.depth < self.rules.max_depth
            and n >= self.rules.min_split
            and n >= 2 * self.rules.min_leaf
        )

    cdef Split find(self, Node* node) noexcept nogil:
        """Search the best split over features drawn at random, constant ones not counted (Algorithm 5)."""
        cdef Split best
        cdef long long d = self.features.shape[0], drawn = node.constant, tried = 0, at
        cdef Range p_range, u_range, both
        cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start
        cdef float* p_values = &self.values[0]
        cdef float* u_values = p_values + n_p
        cdef int f
        best.feature, best.threshold, best.decrease, best.n_p, best.n_u = -1, 0.0, -INFINITY, 0, 0
        while drawn < d and tried < self.rules.features:
            at = drawn + next_below(&self.random, d - drawn)
            f = self.features[at]
            self.features[at] = self.features[drawn]
            self.features[drawn] = f
            take(&self.columns, f, &self.p_rows[0] + node.p_start, n_p, p_values)
            take(&self.columns, f, &self.u_rows[0] + node.u_start, n_u, u_values)
            both = range_of(p_values, n_p + n_u)
            if both.low == both.high:
                # Keep it in front: children need not look at it again.
                self.features[drawn] = self.features[node.constant]
                self.features[node.constant] = f
                node.constant += 1
            else:
                if self.rules.thresholds == 0:
                    self.try_all(node, f, p_values, n_p, u_values, n_u, &best)
                else:
                    self.try_random(node, f, p_values, n_p, u_values, n_u, both, &best)
                tried += 1
            drawn += 1
        return best

    cdef void try_random(
        self, const Node* node, int f, const float* p_values, long long n_p, const float* u_values, long long n_u,
        Range both, Split* best,
    ) noexcept nogil:
        cdef long long t
        cdef float threshold
        for t in range(self.rules.thresholds):
            # In double, so that the difference cannot overflow.
            threshold = <float> (both.low + next_share(&self.random) * (<double> both.high - both.low))
            if threshold >= both.high:
                threshold = both.low
            self.judge(
                node, f, threshold, count_up_to(p_values, n_p, threshold), count_up_to(u_values, n_u, threshold),
                best,
            )

    cdef void try_all(
        self, const Node* node, int f, float* p_values, long long n_p, float* u_values, long long n_u, Split* best
    ) noexcept nogil:
        """Search every threshold between two values that differ (Algorithm 2): a merge of two sorted lists."""
        cdef long long i = 0, j = 0
        cdef float here, next_value
        sort(p_values, p_values + n_p)
        sort(u_values, u_values + n_u)
        while True:
            here = smaller(p_values, i, n_p, u_values, j, n_u)
            while i < n_p and p_values[i] == here:
                i += 1
            while j < n_u and u_values[j] == here:
                j += 1
            if i == n_p and j == n_u:
                return
            next_value = smaller(p_values, i, n_p, u_values, j, n_u)
            self.judge(node, f, halfway(here, next_value), i, j, best)

    cdef void judge(
        self, const Node* node, int f, float threshold, long long n_p, long long n_u, Split* best
    ) noexcept nogil:
        """Keep a split if it lowers the risk more than the best so far (Equations 7 and 8)."""
        cdef long long p_right = node.p_end - node.p_start - n_p, u_right = node.u_end - node.u_start - n_u
        cdef double decrease
        if n_p + n_u < self.rules.min_leaf or p_right + u_right < self.rules.min_leaf:
            return
        decrease = (
            node.risk - least_risk(&self.measure, n_p, n_u) - least_risk(&self.measure, p_right, u_right)
        )
        if best.feature < 0 or decrease > best.decrease:
            best.feature, best.threshold, best.decrease, best.n_p, best.n_u = f, threshold, decrease, n_p, n_u

    cdef bint worth(self, const Split* split) noexcept nogil:
        return split.feature >= 0 and split.decrease >= self.rules.min_decrease

    cdef void split(self, const Node* node, const Split* by, Node* left, Node* right) noexcept nogil:
        """Part the rows of a node, in a stable way, and append its children."""
        cdef long long p_middle = node.p_start + by.n_p, u_middle = node.u_start + by.n_u
        self.part(&self.p_rows[0] + node.p_start, node.p_end - node.p_start, by)
        self.part(&self.u_rows[0] + node.u_start, node.u_end - node.u_start, by)
        left[0] = self.add(node.p_start, p_middle, node.u_start, u_middle, node.depth + 1)
        right[0] = self.add(p_middle, node.p_end, u_middle, node.u_end, node.depth + 1)
        self.steps[node.id].feature = by.feature
        self.steps[node.id].threshold = by.threshold
        self.steps[node.id].left = left.id

    cdef void part(self, int* rows, long long n, const Split* by) noexcept nogil:
        cdef float* values = &self.values[0]
        cdef int* right = &self.spare[0]
        cdef long long i, kept = 0, moved = 0
        cdef int row
        cdef bint goes_left
        take(&self.columns, by.feature, rows, n, values)
        for i in range(n):
            row = rows[i]
            goes_left = values[i] <= by.threshold
            # Both are written and one counted: no branch to mispredict.
            rows[kept] = row
            right[moved] = row
            kept += goes_left
            moved += not goes_left
        for i in range(moved):
            rows[kept + i] = right[i]

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
            best = self.find(&node)
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
                    best = self.find(&opened[at])
                splits.push_back(best)
                if self.worth(&best):
                    order.push(Ranked(best.decrease, -at))
                at += 1
            if order.empty() or leaves == self.rules.max_leaves:
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


cdef inline Range range_of(const float* values, long long n) noexcept nogil:
    cdef Range found
    # Four at a time: each comparison would otherwise wait for the one before.
    cdef float low0 = values[0], low1 = low0, low2 = low0, low3 = low0
    cdef float high0 = low0, high1 = low0, high2 = low0, high3 = low0
    cdef long long i = 0
    while i + 4 <= n:
        low0 = values[i] if values[i] < low0 else low0
        low1 = values[i + 1] if values[i + 1] < low1 else low1
        low2 = values[i + 2] if values[i + 2] < low2 else low2
        low3 = values[i + 3] if values[i + 3] < low3 else low3
        high0 = values[i] if values[i] > high0 else high0
        high1 = values[i + 1] if values[i + 1] > high1 else high1
        high2 = values[i + 2] if values[i + 2] > high2 else high2
        high3 = values[i + 3] if values[i + 3] > high3 else high3
        i += 4
    while i < n:
        low0 = values[i] if values[i] < low0 else low0
        high0 = values[i] if values[i] > high0 else high0
        i += 1
    low0, low2 = min(low0, low1), min(low2, low3)
    high0, high2 = max(high0, high1), max(high2, high3)
    found.low, found.high = min(low0, low2), max(high0, high2)
    return found


cdef inline long long count_up_to(const float* values, long long n, float threshold) noexcept nogil:
    cdef long long i
    cdef int count = 0
    for i in range(n):
        count += values[i] <= threshold
    return count


cdef inline float smaller(
    const float* a, long long i, long long n_a, const float* b, long long j, long long n_b
) noexcept nogil:
    if i == n_a:
        return b[j]
    if j == n_b:
        return a[i]
    return a[i] if a[i] < b[j] else b[j]


cdef inline float halfway(float low, float high) noexcept nogil:
    # Between neighbouring floats there is no number: low itself parts them.
    cdef float middle = <float> (0.5 * (<double> low + <double> high))
    return middle if middle < high else low


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
    cdef long long n = p_rows.shape[0] + u_rows.shape[0]
    grower.columns.values = NULL
    grower.columns.rows = NULL
    grower.columns.starts = NULL
    # A sparse matrix may hold nothing at all.
    if values.shape[0]:
        grower.columns.values = &values[0]
    if starts is not None:
        grower.columns.starts = &starts[0]
        if rows.shape[0]:
            grower.columns.rows = &rows[0]
    grower.columns.n_rows = values.shape[0] // n_features
    (
        grower.measure.positive_p, grower.measure.negative_p, grower.measure.negative_u,
        grower.measure.loss, grower.measure.clipped,
    ) = weights
    (
        grower.rules.features, grower.rules.thresholds, grower.rules.max_depth, grower.rules.max_leaves,
        grower.rules.min_split, grower.rules.min_leaf, grower.rules.min_decrease,
    ) = rules
    grower.random = <uint64_t> seed
    grower.p_rows, grower.u_rows = p_rows, u_rows
    grower.spare = np.empty(n, dtype=np.int32)
    grower.values = np.empty(n, dtype=np.float32)
    grower.features = np.arange(n_features, dtype=np.int32)
    with nogil:
        if grower.rules.max_leaves:
            grower.best_first()
        else:
            grower.depth_first()
    return grower.result()
