/**
 * The Cholesky factor L of a symmetric positive definite matrix K = L·Lᵀ. Rows can be added in place: G. H. Golub and
 * C. F. Van Loan, "Matrix Computations" (2013), sections 4.2 and 6.5. The rows lie one after the other in memory, so
 * that all inner loops are dot products of contiguous numbers.
 */
export class Cholesky {
  size = 0;
  /** The distance of two rows in memory, and the number of rows that fit before the memory must grow. */
  #stride: number;
  #rows: Float64Array;

  /** @param capacity - the size of the matrix up to which no memory needs to be copied */
  constructor(capacity: number) {
    this.#stride = Math.max(1, capacity);
    this.#rows = new Float64Array(this.#stride * this.#stride);
  }

  /** Factors a matrix, whose lower half is given in rows of `size` numbers. Null if it is not positive definite. */
  static of(matrix: Float64Array, size: number): Cholesky | null {
    const factor = new Cholesky(size);
    for (let i = 0; i < size; i += 1) {
      if (!factor.append(matrix.subarray(i * size, i * size + i + 1))) return null;
    }
    return factor;
  }

  /**
   * Adds a row and a column to the matrix.
   *
   * @param row - the new row of K up to its diagonal: size + 1 numbers
   * @returns false if the matrix would not be positive definite; then nothing is changed
   */
  append(row: Float64Array): boolean {
    const { size } = this;
    if (size === this.#stride) this.#grow();
    const stride = this.#stride;
    const rows = this.#rows;
    const start = size * stride;
    for (let j = 0; j < size; j += 1) {
      const other = j * stride;
      rows[start + j] = (row[j]! - dot(rows, start, rows, other, j)) / rows[other + j]!;
    }
    const square = row[size]! - dot(rows, start, rows, start, size);
    if (!(square > 0)) return false;
    rows[start + size] = Math.sqrt(square);
    this.size += 1;
    return true;
  }

  /** A copy with room for `extra` further rows. */
  copy(extra: number): Cholesky {
    const copy = new Cholesky(this.size + extra);
    for (let i = 0; i < this.size; i += 1) {
      copy.#rows.set(this.#rows.subarray(i * this.#stride, i * this.#stride + i + 1), i * copy.#stride);
    }
    copy.size = this.size;
    return copy;
  }

  /** Solves L·x = b in place. */
  solveLower(b: Float64Array): void {
    const { size } = this;
    const stride = this.#stride;
    const rows = this.#rows;
    for (let i = 0; i < size; i += 1) {
      b[i] = (b[i]! - dot(rows, i * stride, b, 0, i)) / rows[i * stride + i]!;
    }
  }

  /** Solves Lᵀ·x = b in place. */
  solveUpper(b: Float64Array): void {
    const { size } = this;
    const stride = this.#stride;
    const rows = this.#rows;
    for (let i = size - 1; i >= 0; i -= 1) {
      const start = i * stride;
      const x = b[i]! / rows[start + i]!;
      b[i] = x;
      for (let j = 0; j < i; j += 1) b[j]! -= rows[start + j]! * x;
    }
  }

  /** The logarithm of the determinant of K. */
  logDeterminant(): number {
    let sum = 0;
    for (let i = 0; i < this.size; i += 1) sum += Math.log(this.#rows[i * (this.#stride + 1)]!);
    return 2 * sum;
  }

  /** The lower half of the inverse of K, in rows of `size` numbers. */
  inverse(): Float64Array {
    const { size } = this;
    const stride = this.#stride;
    const rows = this.#rows;
    // the columns of the inverse of L as rows
    const columns = new Float64Array(size * size);
    for (let j = 0; j < size; j += 1) {
      const start = j * size;
      columns[start + j] = 1 / rows[j * stride + j]!;
      for (let i = j + 1; i < size; i += 1) {
        columns[start + i] = -dot(rows, i * stride + j, columns, start + j, i - j) / rows[i * stride + i]!;
      }
    }
    // K⁻¹ = L⁻ᵀ·L⁻¹: its elements are dot products of columns of L⁻¹, and column i is 0 above row i
    const inverse = new Float64Array(size * size);
    for (let i = 0; i < size; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        inverse[i * size + j] = dot(columns, i * size + i, columns, j * size + i, size - i);
      }
    }
    return inverse;
  }

  #grow(): void {
    const { size } = this;
    const stride = this.#stride;
    const rows = this.#rows;
    this.#stride = 2 * stride;
    this.#rows = new Float64Array(this.#stride * this.#stride);
    for (let i = 0; i < size; i += 1) {
      this.#rows.set(rows.subarray(i * stride, i * stride + size), i * this.#stride);
    }
  }
}

/**
 * The dot product. It adds up four sums, because each addition to a single sum would have to wait for the addition
 * before.
 */
export function dot(
  one: Float64Array,
  oneFrom: number,
  other: Float64Array,
  otherFrom: number,
  count: number,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const i = oneFrom + k;
    const j = otherFrom + k;
    a += one[i]! * other[j]!;
    b += one[i + 1]! * other[j + 1]!;
    c += one[i + 2]! * other[j + 2]!;
    d += one[i + 3]! * other[j + 3]!;
  }
  for (; k < count; k += 1) a += one[oneFrom + k]! * other[otherFrom + k]!;
  return a + b + (c + d);
}
