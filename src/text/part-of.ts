/** "1,204 of 10,240 points". */
export function partOf(part: number, all: number, what: string): string {
  return `${part.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} ${what}`;
}

/** "1,204 of 10,240 points have", and "1 of 40 points has". */
export function partHas(part: number, all: number, what: string): string {
  return `${partOf(part, all, what)} ${part === 1 ? 'has' : 'have'}`;
}
