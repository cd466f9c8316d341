/** Rotation matrices (three rows) and quaternions (w, x, y, z), as `frames.py`. */
export type Matrix = number[][];

export const identity = (): Matrix => [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

export function product(...all: Matrix[]): Matrix {
  return all.reduce((a, b) => a.map((r) => [0, 1, 2].map((j) => r[0] * b[0][j] + r[1] * b[1][j] + r[2] * b[2][j])));
}

export const transposed = (m: Matrix): Matrix => [0, 1, 2].map((i) => [0, 1, 2].map((j) => m[j][i]));

/** Rotation by an angle about axis 0 (x), 1 (y) or 2 (z). */
export function axisRotation(axis: number, angle: number): Matrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const made = identity();
  const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
  made[i][i] = made[j][j] = c;
  made[i][j] = -s;
  made[j][i] = s;
  return made;
}

/** Unit quaternion of a rotation matrix, by its largest component. */
export function quaternion(m: Matrix): number[] {
  const squares = [1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]];
  const k = squares.indexOf(Math.max(...squares));
  const [a, b, c] = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
  const [d, e, f] = [m[0][1] + m[1][0], m[0][2] + m[2][0], m[1][2] + m[2][1]];
  const q = [[squares[0], a, b, c], [a, squares[1], d, e], [b, d, squares[2], f], [c, e, f, squares[3]]][k];
  const size = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return q.map((x) => x / size);
}

const cross = (a: number[], b: number[]): number[] => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** The shortest rotation that turns the unit vector a to the unit vector b. */
export function shortestRotation(a: number[], b: number[]): Matrix {
  const v = cross(a, b);
  const c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  if (c > -0.999999) {
    const K = [[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]];
    const KK = product(K, K);
    return identity().map((r, i) => r.map((x, j) => x + K[i][j] + KK[i][j] / (1 + c)));
  }
  const sizes = a.map(Math.abs);
  const u = cross(a, identity()[sizes.indexOf(Math.min(...sizes))]);
  const size = Math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const w = u.map((x) => x / size);
  const back = w.map((x, i) => w.map((y, j) => 2 * x * y - Number(i === j)));
  const turned = back.map((r) => r[0] * a[0] + r[1] * a[1] + r[2] * a[2]);
  return product(shortestRotation(turned, b), back);
}
