"""Numba kernels of the data: text files of whole numbers, fullerenes. Kernels trust their input."""

from __future__ import annotations

import numpy as np

from wlt.kernels import kernel

# ---------------------------------------------------------------------------------------------------------------------
# Text files of whole numbers
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def end_of_text(text):
    """The length of the text without blanks and newlines at its end."""
    end = len(text)
    while end > 0 and (text[end - 1] == 32 or 9 <= text[end - 1] <= 13):
        end -= 1
    return end


@kernel
def count_newlines(text):
    count = 0
    for i in range(len(text)):
        count += text[i] == 10
    return count


@kernel
def parse_integers(text, out, limit):
    """Lines of whole numbers with commas between them into `out` [columns, rows]; every line ends in a newline.

    Returns (-1, 0), or the index of the first line that is something else and the position where it begins."""
    columns, rows = out.shape
    p = 0
    for row in range(rows):
        begin = p
        for column in range(columns):
            while text[p] == 32 or text[p] == 9:
                p += 1
            negative = text[p] == 45
            if negative:
                p += 1
            first = p
            value = np.int64(0)
            while 48 <= text[p] <= 57:
                value = value * 10 + (text[p] - 48)
                p += 1
            if p == first or p - first > 18 or value > limit:
                return row, begin
            while text[p] == 32 or text[p] == 9 or text[p] == 13:
                p += 1
            if text[p] != (44 if column < columns - 1 else 10):
                return row, begin
            p += 1
            out[column, row] = -value if negative else value
    return -1, 0


@kernel
def edges_from_one(source, target, graph_of):
    """Nodes counted from 1 become nodes counted from 0, in place; stops at the first edge that is not inside a graph.

    Returns the index of that edge, which is left as it was, or -1."""
    n = len(graph_of)
    for i in range(len(source)):
        u, v = source[i] - 1, target[i] - 1
        if u < 0 or v < 0 or u >= n or v >= n or graph_of[u] != graph_of[v]:
            return i
        source[i] = u
        target[i] = v
    return -1


# ---------------------------------------------------------------------------------------------------------------------
# Fullerenes from their face spirals
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def _wind_face(k, size, ring, head, tail, open_edges, triangles, made):
    """Attach face k to the spiral of faces 0 .. k-1: row k of the state, from row k-1. False where that is impossible.

    The spiral is a disc. Its rim is `ring[k, head[k]:tail[k]]`, the faces that still have `open_edges`, oldest first,
    counterclockwise; the rim closes from its last face to its first. A new face shares an edge with both of these, and
    with the next one inwards whenever that closes a face. The last face must fill the hole. Each triangle of faces
    (front, back, new), counterclockwise, is an atom; there are `made[k]`.
    """
    faces = len(head)
    if k == 0:
        ring[0, 0] = 0
        head[0], tail[0], made[0] = 0, 1, 0
        open_edges[0, 0] = size
        return True
    first, end, t = head[k - 1], tail[k - 1], made[k - 1]
    for i in range(first, end):
        face = ring[k - 1, i]
        ring[k, i] = face
        open_edges[k, face] = open_edges[k - 1, face]
    left = size  # edges of face k that are still open
    if k == 1:
        open_edges[k, 0] -= 1
        left -= 1
    elif k == faces - 1:
        if end - first != size:
            return False
        for i in range(first, end):
            if open_edges[k, ring[k, i]] != 1:
                return False
            following = ring[k, i + 1] if i + 1 < end else ring[k, first]
            triangles[t, 0], triangles[t, 1], triangles[t, 2] = following, ring[k, i], k
            t += 1
        made[k] = t
        return True
    else:
        front, back = ring[k, first], ring[k, end - 1]
        triangles[t, 0], triangles[t, 1], triangles[t, 2] = front, back, k
        t += 1
        open_edges[k, front] -= 1
        open_edges[k, back] -= 1
        left -= 2
        while open_edges[k, front] == 0:
            first += 1
            if end - first < 2 or left < 2:
                return False
            following = ring[k, first]
            triangles[t, 0], triangles[t, 1], triangles[t, 2] = following, front, k
            t += 1
            front = following
            open_edges[k, front] -= 1
            left -= 1
        while open_edges[k, back] == 0:
            end -= 1
            if end - first < 2 or left < 2:
                return False
            previous = ring[k, end - 1]
            triangles[t, 0], triangles[t, 1], triangles[t, 2] = back, previous, k
            t += 1
            back = previous
            open_edges[k, back] -= 1
            left -= 1
        if open_edges[k, front] == 0 or left < 1:
            return False
    ring[k, end] = k
    open_edges[k, k] = left
    head[k], tail[k], made[k] = first, end + 1, t
    return True


@kernel
def _has_smaller_spiral(third, sizes, order, unseen):
    """Does the polyhedron have a spiral lexicographically below `sizes`? `third` names each directed edge's third face.

    All spirals from a pentagon are tried: every first edge, both directions. One that runs into itself is none."""
    faces = len(sizes)
    for a in range(faces):
        for b in range(faces):
            if sizes[a] > sizes[0] or sizes[b] > sizes[1] or third[a, b] < 0:
                continue
            for mirrored in range(2):
                visited = np.uint64(0)
                for f in range(faces):
                    unseen[f] = sizes[f]
                smaller = False
                front = 0
                k = 0
                while k < faces:
                    if k == 0:
                        face = a
                    elif k == 1:
                        face = b
                    else:
                        last = order[k - 1]
                        while front < k - 1 and unseen[order[front]] == 0:
                            front += 1
                        oldest = order[front]
                        face = third[last, oldest] if mirrored else third[oldest, last]
                        if face < 0 or (visited >> np.uint64(face)) & np.uint64(1):
                            break
                    if not smaller and sizes[face] > sizes[k]:
                        break
                    smaller |= sizes[face] < sizes[k]
                    order[k] = face
                    visited |= np.uint64(1) << np.uint64(face)
                    for g in range(faces):
                        if third[face, g] >= 0:
                            unseen[g] -= 1
                    k += 1
                if k == faces and smaller:
                    return True
    return False


@kernel
def fullerene_spirals(n, largest_second):
    """Face sizes of all fullerenes with n atoms: of each the lexicographically smallest spiral, in increasing order.

    Depth-first over spirals that begin with a pentagon, followed by a face of at most `largest_second` edges. Faces
    are kept in 64-bit masks: n <= 124."""
    faces = n // 2 + 2
    ring = np.zeros((faces, faces), np.int64)
    open_edges = np.zeros((faces, faces), np.int64)
    head, tail, made = np.zeros(faces, np.int64), np.zeros(faces, np.int64), np.zeros(faces, np.int64)
    triangles = np.zeros((n + 6, 3), np.int64)  # a disc has fewer than n; a face that fails may have added six
    sizes = np.zeros(faces, np.int64)
    pentagons = np.zeros(faces + 1, np.int64)  # pentagons among the first k faces
    third = np.empty((faces, faces), np.int64)
    order, unseen = np.empty(faces, np.int64), np.empty(faces, np.int64)
    smallest = np.empty((64, faces), np.uint8)
    count = 0
    k = 0
    sizes[0] = 4
    while k >= 0:
        sizes[k] += 1
        if sizes[k] > 6 or (k == 0 and sizes[k] > 5) or (k == 1 and sizes[k] > largest_second):
            k -= 1
            continue
        so_far = pentagons[k] + (sizes[k] == 5)
        if so_far > 12 or so_far + faces - 1 - k < 12:
            continue
        if not _wind_face(k, sizes[k], ring, head, tail, open_edges, triangles, made):
            continue
        if k < faces - 1:
            pentagons[k + 1] = so_far
            k += 1
            sizes[k] = 4
            continue
        third[:] = -1
        for t in range(n):
            x, y, z = triangles[t]
            third[x, y], third[y, z], third[z, x] = z, x, y
        if _has_smaller_spiral(third, sizes, order, unseen):
            continue
        if count == len(smallest):
            smallest = np.concatenate((smallest, np.empty_like(smallest)))
        smallest[count] = sizes
        count += 1
    return smallest[:count].copy()


@kernel
def fullerene_edges(spirals):
    """Bonds [isomers, 3n/2, 2] and the number of edges between two pentagons [isomers]; see `fullerene_spirals`."""
    isomers, faces = spirals.shape
    n = 2 * faces - 4
    ring = np.zeros((faces, faces), np.int64)
    open_edges = np.zeros((faces, faces), np.int64)
    head, tail, made = np.zeros(faces, np.int64), np.zeros(faces, np.int64), np.zeros(faces, np.int64)
    triangles = np.zeros((n + 6, 3), np.int64)
    atom = np.empty((faces, faces), np.int64)  # the atom to the left of each directed edge between faces
    bonds = np.empty((isomers, 3 * n // 2, 2), np.int64)
    fused = np.zeros(isomers, np.int64)
    for i in range(isomers):
        for k in range(faces):
            _wind_face(k, np.int64(spirals[i, k]), ring, head, tail, open_edges, triangles, made)
        atom[:] = -1
        for t in range(n):
            x, y, z = triangles[t]
            atom[x, y] = atom[y, z] = atom[z, x] = t
        e = 0
        for x in range(faces):
            for y in range(x):
                if atom[x, y] >= 0:
                    bonds[i, e, 0], bonds[i, e, 1] = atom[x, y], atom[y, x]
                    e += 1
                    fused[i] += spirals[i, x] == 5 and spirals[i, y] == 5
    return bonds, fused
