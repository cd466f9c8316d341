"""Pixels of polygons, lines and lit faces: the compiled heart of films.

Flat shapes: every edge of a polygon adds its signed area to an accumulation buffer; the running sum along a row is the winding
number averaged over the pixel, and min(|sum|, 1) is the covered share of the pixel. Loops that turn the same way and overlap are
therefore filled once, and loops that share an edge show no seam.

Solid shapes: faces are projected, lit at their corners (Gouraud) and drawn into a buffer of s x s samples per pixel in which the
nearest one wins (1/depth is linear in the picture); the share of covered samples is the opacity of a pixel.

| symbol | meaning | unit |
|---|---|---|
| sheet (h, w, 4) | red, green, blue of the picture and an unused byte, row 0 on top | 0..255 |
| area (h, w + 8 or more) | accumulation buffer, zero between calls; its width is a multiple of 8 | pixel |
| span (h, 2) | first and last column of each row that an edge has touched; (FAR, 0) between calls | pixel |
| near (h s, w s) | 1/depth of the nearest face, 0 where there is none | 1/m |
| view (17) | eye, target, directions right, up, towards the eye, distance, focal length | m, samples |

Limits: coverage is exact for straight edges that do not cross inside a pixel; colours are linear in the picture, not in space.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel

BLOCK = 8  # px that are skipped together; the area is so much wider than the sheet
FAR = 1 << 30
BYTE = np.int32(255)
SHORT = 1.2  # px: shorter pieces of a line are joined with the next one
STRAIGHT = 0.97  # cosine of the turn from which a line's corner is rounded
AMBIENT, DIRECT, GLOSS, SHARPNESS, RIM, MATTE = 0.58, 0.56, 0.22, 20, 0.42, 0.8


@kernel
def _edge(area, span, x0, y0, x1, y1):
    """Add the signed area to the right of an edge, row by row."""
    if y0 == y1:
        return
    sign = 1.0
    if y0 > y1:
        x0, y0, x1, y1, sign = x1, y1, x0, y0, -1.0
    high, wide = area.shape[0], area.shape[1] - BLOCK
    if y1 <= 0.0 or y0 >= high:
        return
    slope = (x1 - x0) / (y1 - y0)
    if y0 < 0.0:
        x0, y0 = x0 - y0 * slope, 0.0
    last = min(high, math.ceil(y1))
    for row in range(int(y0), last):
        below = min(row + 1.0, y1)
        height = below - max(float(row), y0)
        x2 = x0 + slope * height
        a, b = (x0, x2) if x0 < x2 else (x2, x0)
        a, b = min(max(a, 0.0), wide), min(max(b, 0.0), wide)
        x0, d = x2, sign * height
        i, j = int(a), math.ceil(b)
        span[row, 0], span[row, 1] = min(span[row, 0], i), max(span[row, 1], j + 2)
        if j <= i + 1:
            share = 0.5 * (a + b) - i
            area[row, i] += d - d * share
            area[row, i + 1] += d * share
            continue
        steep = 1.0 / (b - a)
        first, rest = 1.0 - (a - i), b - (j - 1)
        start, end = 0.5 * steep * first * first, 0.5 * steep * rest * rest
        area[row, i] += d * start
        if j == i + 2:
            area[row, i + 1] += d * (1.0 - start - end)
        else:
            second = steep * (0.5 + first)
            area[row, i + 1] += d * (second - start)
            for k in range(i + 2, j - 1):
                area[row, k] += d * steep
            area[row, j - 1] += d * (1.0 - second - (j - i - 3) * steep - end)
        area[row, j] += d * end


@kernel
def _ink(sheet, area, span, ink):
    """Blend a colour ink[:3] with opacity ink[3] where the area says so, and clear area and span."""
    wide = sheet.shape[1]
    words = area.view(np.int64)
    for row in range(sheet.shape[0]):
        if span[row, 1] == 0:
            continue
        total = np.float32(0.0)
        k, right = span[row, 0] // BLOCK * BLOCK, span[row, 1]
        span[row, 0], span[row, 1] = FAR, 0
        while k < right:
            h = k // 2
            if abs(total) < 2e-3 and words[row, h] | words[row, h + 1] | words[row, h + 2] | words[row, h + 3] == 0:
                k += BLOCK  # an empty stretch
                continue
            for i in range(k, k + BLOCK):
                total += area[row, i]
                area[row, i] = 0.0
                cover = min(abs(total), np.float32(1.0))
                if cover > 2e-3 and i < wide:
                    share = cover * ink[3]
                    for c in range(3):
                        old = np.float32(sheet[row, i, c])
                        sheet[row, i, c] = np.uint8(old + share * (ink[c] - old) + np.float32(0.5))
            k += BLOCK


@kernel
def fill(sheet, area, span, points, starts, ink):
    """Fill closed loops points[starts[i] : starts[i + 1]] (px) with a colour; those with a coordinate not finite are left out."""
    for i in range(starts.size - 1):
        a, b = starts[i], starts[i + 1]
        good = b - a > 2
        for k in range(a, b):
            good = good and abs(points[k, 0]) < 1e7 and abs(points[k, 1]) < 1e7
        for k in range(a, b if good else a):
            m = k + 1 if k + 1 < b else a
            _edge(area, span, points[k, 0], points[k, 1], points[m, 0], points[m, 1])
    _ink(sheet, area, span, ink)


@kernel
def stroke(sheet, area, span, points, starts, half, ink):
    """Draw polylines points[starts[i] : starts[i + 1]] (px), `half` their width; a point that is not finite interrupts."""
    high, wide = sheet.shape[0], sheet.shape[1]
    for i in range(starts.size - 1):
        last = starts[i + 1] - 1
        ax, ay, ux, uy = points[starts[i], 0], points[starts[i], 1], 0.0, 0.0
        for k in range(starts[i] + 1, last + 1):
            bx, by = points[k, 0], points[k, 1]
            good = abs(ax) < 1e7 and abs(ay) < 1e7 and abs(bx) < 1e7 and abs(by) < 1e7
            length = math.hypot(bx - ax, by - ay) if good else 0.0
            if good and length < (SHORT if k < last else 1e-6):
                continue  # the next piece begins where this one does
            if good and not (
                max(ax, bx) < -half or min(ax, bx) > wide + half or max(ay, by) < -half or min(ay, by) > high + half
            ):
                vx, vy = (bx - ax) / length, (by - ay) / length
                if half > 0.9 and (ux != 0.0 or uy != 0.0) and ux * vx + uy * vy < STRAIGHT:
                    _round(area, span, ax, ay, half)
                nx, ny, ux, uy = -half * vy, half * vx, vx, vy
                _edge(area, span, ax + nx, ay + ny, bx + nx, by + ny)
                _edge(area, span, bx + nx, by + ny, bx - nx, by - ny)
                _edge(area, span, bx - nx, by - ny, ax - nx, ay - ny)
                _edge(area, span, ax - nx, ay - ny, ax + nx, ay + ny)
            else:
                ux, uy = 0.0, 0.0
            ax, ay = bx, by
    _ink(sheet, area, span, ink)


@kernel
def _round(area, span, x, y, radius):
    """A joint of a line: a disc of 12 corners that turns as the line's pieces do."""
    px, py = x + radius, y
    for k in range(1, 13):
        turn = -k * math.pi / 6.0
        qx, qy = x + radius * math.cos(turn), y + radius * math.sin(turn)
        _edge(area, span, px, py, qx, qy)
        px, py = qx, qy


@kernel
def hairlines(sheet, points, half, ink):
    """Draw straight thin lines (m, 2, 2) px, `half` their width: pixel by pixel along the longer direction, each line for itself."""
    for m in range(points.shape[0]):
        ax, ay, bx, by = points[m, 0, 0], points[m, 0, 1], points[m, 1, 0], points[m, 1, 1]
        if not (abs(ax) < 1e7 and abs(ay) < 1e7 and abs(bx) < 1e7 and abs(by) < 1e7):
            continue
        flat = abs(bx - ax) >= abs(by - ay)
        if not flat:
            ax, ay, bx, by = ay, ax, by, bx
        if ax > bx:
            ax, ay, bx, by = bx, by, ax, ay
        if bx - ax < 1e-6:
            continue
        slope = (by - ay) / (bx - ax)
        wide = half * math.sqrt(1.0 + slope * slope)  # across the pixels of a column
        along, across = (sheet.shape[1], sheet.shape[0]) if flat else (sheet.shape[0], sheet.shape[1])
        for k in range(max(0, math.ceil(ax - 0.5)), min(along, math.floor(bx - 0.5) + 1)):
            y = ay + slope * (k + 0.5 - ax)
            for i in range(max(0, math.floor(y - wide)), min(across, math.ceil(y + wide))):
                cover = min(i + 1.0, y + wide) - max(float(i), y - wide)
                share = np.float32(cover) * ink[3]
                pixel = sheet[i, k] if flat else sheet[k, i]
                for c in range(3):
                    old = np.float32(pixel[c])
                    pixel[c] = np.uint8(old + share * (ink[c] - old) + np.float32(0.5))


@kernel
def stamp(sheet, cover, left, top, ink):
    """Blend a colour through a mask (h, w) of opacities 0..255 whose upper left corner is at (left, top)."""
    for row in range(max(0, -top), min(cover.shape[0], sheet.shape[0] - top)):
        for k in range(max(0, -left), min(cover.shape[1], sheet.shape[1] - left)):
            if cover[row, k]:
                share = np.float32(cover[row, k]) * ink[3] / np.float32(255.0)
                for c in range(3):
                    old = sheet[top + row, left + k, c]
                    sheet[top + row, left + k, c] = np.uint8(old + share * (ink[c] - old) + np.float32(0.5))


@kernel
def lay(sheet, layer, rows):
    """Put a layer (h, w, 4), colours times opacity and opacity, over rows[0] .. rows[1] of a picture of its size."""
    for row in range(rows[0], rows[1]):
        for k in range(sheet.shape[1]):
            alpha = layer[row, k, 3]
            if alpha:
                rest = 255 - alpha
                for c in range(3):
                    sheet[row, k, c] = np.uint8((sheet[row, k, c] * rest + 127) // 255 + layer[row, k, c])


@kernel
def place(corner, normal, link, node, frame, out, out_normal):
    """Faces in the frames of their links (rows axis, left, back; origins `node`) put into the world."""
    for m in range(corner.shape[0]):
        i = link[m]
        for k in range(4):
            for e in range(3):
                p, n = node[i, e], 0.0
                for a in range(3):
                    p += corner[m, k, a] * frame[i, a, e]
                    n += normal[m, k, a] * frame[i, a, e]
                out[m, k, e], out_normal[m, k, e] = p, n


@kernel
def _lit(p, n, view, light, matte, colour, shade):
    """Colour (3,) 0..255 of a corner with a normal under a light."""
    facing, half_on, direct, size, half_size = 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(3):
        size += (view[e] - p[e]) ** 2
    size = math.sqrt(size)
    for e in range(3):
        towards = (view[e] - p[e]) / size
        facing += n[e] * towards
        half_on += n[e] * (towards + light[e])
        half_size += (towards + light[e]) ** 2
        direct += n[e] * light[e]
    if matte:
        bright, gloss = 1.0 + MATTE * (direct - light[2]), 0.0
    else:
        facing = min(max(facing, 0.0), 1.0)
        bright = AMBIENT + 0.1 * n[2] + DIRECT * min(max(direct, 0.0), 1.0)
        bright *= 1.0 - RIM * (1.0 - facing) ** 2  # darker towards the outline, which sets bodies off the ground
        gloss = GLOSS * min(max(half_on / math.sqrt(half_size), 0.0), 1.0) ** SHARPNESS
    for c in range(3):
        shade[c] = 255.0 * min(max(colour[c] * bright + gloss, 0.0), 1.0)


@kernel
def _triangle(near, shade, span, step, flat, tint, pick):
    """Draw corners pick of flat (4, 3: x, y in samples, 1/depth) with colours tint (4, 3) where they are nearest."""
    a, b, c = pick
    ax, ay, bx, by, cx, cy = flat[a, 0], flat[a, 1], flat[b, 0], flat[b, 1], flat[c, 0], flat[c, 1]
    whole = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(whole) < 1e-9:
        return
    top, bottom = max(0, math.ceil(min(ay, by, cy) - 0.5)), min(near.shape[0], int(max(ay, by, cy) + 0.5))
    du, dv = (by - cy) / whole, (cy - ay) / whole
    dw = -du - dv
    for row in range(top, bottom):
        y = row + 0.5
        # shares of the corners at x = 0 of this row, and between which columns none of them is negative
        u0 = ((cy - by) * bx - (cx - bx) * by + (cx - bx) * y) / whole
        v0 = ((ay - cy) * cx - (ax - cx) * cy + (ax - cx) * y) / whole
        w0 = 1.0 - u0 - v0
        low, high = 0.0, float(near.shape[1])
        for start, rate in ((u0, du), (v0, dv), (w0, dw)):
            if rate > 1e-12:
                low = max(low, (-1e-6 - start) / rate)
            elif rate < -1e-12:
                high = min(high, (-1e-6 - start) / rate)
            elif start < -1e-6:
                high = -1.0
        left, right = math.ceil(low - 0.5), math.floor(high - 0.5) + 1
        if left >= right:
            continue
        pixels = row // step
        span[pixels, 0], span[pixels, 1] = (
            min(span[pixels, 0], left // step),
            max(span[pixels, 1], (right - 1) // step + 1),
        )
        for k in range(max(left, 0), min(right, near.shape[1])):
            x = k + 0.5
            u, v = u0 + du * x, v0 + dv * x
            w = 1.0 - u - v
            depth = np.float32(u * flat[a, 2] + v * flat[b, 2] + w * flat[c, 2])
            if depth > near[row, k]:
                near[row, k] = depth
                for e in range(3):
                    value = u * tint[a, e] + v * tint[b, e] + w * tint[c, e] + 0.5
                    shade[row, k, e] = np.uint8(min(max(value, 0.0), 255.0))


@kernel
def solids(near, shade, span, step, corner, normal, colour, view, light, matte):
    """Draw faces (m, 4, 3) seen from their outside, colour (m, 4); `step` samples are a pixel's side, `span` grows with them."""
    flat, tint = np.empty((4, 3)), np.empty((4, 3))
    for m in range(corner.shape[0]):
        towards = 0.0
        for e in range(3):
            middle, out = 0.0, 0.0
            for k in range(4):
                middle += 0.25 * corner[m, k, e]
                out += normal[m, k, e]
            towards += (view[e] - middle) * out
        if not towards > 0.0:
            continue
        good = True
        for k in range(4):
            x, y, z = 0.0, 0.0, 0.0
            for e in range(3):
                d = corner[m, k, e] - view[3 + e]
                x, y, z = x + d * view[6 + e], y + d * view[9 + e], z + d * view[12 + e]
            depth = view[15] - z
            good = good and depth > 1e-3 * view[15]
            scale = view[16] / max(depth, 1e-9)
            flat[k, 0] = 0.5 * near.shape[1] + scale * x
            flat[k, 1] = 0.5 * near.shape[0] - scale * y
            flat[k, 2] = 1.0 / max(depth, 1e-9)
            _lit(corner[m, k], normal[m, k], view, light, matte, colour[m], tint[k])
        if not good:
            continue
        _triangle(near, shade, span, step, flat, tint, (0, 1, 2))
        _triangle(near, shade, span, step, flat, tint, (0, 2, 3))


@kernel
def resolve(sheet, near, shade, span, step):
    """Blend the samples within `span` over the picture, and forget them."""
    whole = np.float32(1.0 / (step * step))
    for row in range(sheet.shape[0]):
        for k in range(max(span[row, 0], 0), min(span[row, 1], sheet.shape[1])):
            count, red, green, blue = 0, 0, 0, 0
            for i in range(row * step, row * step + step):
                for j in range(k * step, k * step + step):
                    if near[i, j] > 0.0:
                        count += 1
                        red += shade[i, j, 0]
                        green += shade[i, j, 1]
                        blue += shade[i, j, 2]
                        near[i, j] = 0.0
            if count:
                rest, p = np.float32(step * step - count), sheet[row, k]
                p[0] = np.uint8((p[0] * rest + red) * whole + np.float32(0.5))
                p[1] = np.uint8((p[1] * rest + green) * whole + np.float32(0.5))
                p[2] = np.uint8((p[2] * rest + blue) * whole + np.float32(0.5))
        span[row, 0], span[row, 1] = FAR, 0


@kernel
def yuv420(pixels, luma, blue, red):
    """Luma (h, w) and halved chroma planes (h/2, w/2) of a picture (h, w) of even size, a word per pixel (BT.601, limited range)."""
    for i in range(pixels.shape[0]):
        row, out = pixels[i], luma[i]
        for j in range(row.shape[0]):
            p = np.int32(row[j])
            r, g, b = p & BYTE, (p >> 8) & BYTE, (p >> 16) & BYTE
            out[j] = np.uint8(
                (np.int32(16829) * r + np.int32(33039) * g + np.int32(6416) * b + np.int32(1081344)) >> 16
            )
    for i in range(blue.shape[0]):
        above, below, cb, cr = pixels[2 * i], pixels[2 * i + 1], blue[i], red[i]
        for j in range(cb.shape[0]):
            p, q, s, t = (
                np.int32(above[2 * j]),
                np.int32(above[2 * j + 1]),
                np.int32(below[2 * j]),
                np.int32(below[2 * j + 1]),
            )
            r = (p & BYTE) + (q & BYTE) + (s & BYTE) + (t & BYTE)
            g = ((p >> 8) & BYTE) + ((q >> 8) & BYTE) + ((s >> 8) & BYTE) + ((t >> 8) & BYTE)
            b = ((p >> 16) & BYTE) + ((q >> 16) & BYTE) + ((s >> 16) & BYTE) + ((t >> 16) & BYTE)
            cb[j] = np.uint8(
                (np.int32(-9714) * r - np.int32(19070) * g + np.int32(28784) * b + np.int32(33685504)) >> 18
            )
            cr[j] = np.uint8(
                (np.int32(28784) * r - np.int32(24103) * g - np.int32(4681) * b + np.int32(33685504)) >> 18
            )
