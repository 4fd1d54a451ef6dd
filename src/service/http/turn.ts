let acts: (() => void)[] = [];

/**
 * Puts off an act to the end of the event loop's turn. An answer that is written wakes the client that waits for it, and on
 * one machine that costs more than all the rest of a request: of answers to requests that came in one turn, written one
 * after the other, the first one pays for all.
 */
export function atEndOfTurn(act: () => void): void {
  if (acts.push(act) === 1) setImmediate(doAll);
}

function doAll(): void {
  const all = acts;
  acts = [];
  for (const act of all) act();
}
