let acts: (() => void)[] = [];

/**
 * Delays an action to the end of the current turn of the event loop. Writing an answer wakes the waiting client. If the
 * client is on the same machine, this costs more than the rest of the request. If the answers of one turn are written
 * together, only the first one has this cost.
 */
export function atEndOfTurn(act: () => void): void {
  if (acts.push(act) === 1) setImmediate(doAll);
}

function doAll(): void {
  const all = acts;
  acts = [];
  for (const act of all) act();
}
