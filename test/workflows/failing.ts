/** The definition of a campaign whose runs fail. `rate` is the probability of a failure. */
export function failing(name: string, { first, count = 1, rate = 1, more }: Failing) {
  const text = `
campaign: ${name}
model: {name: Rehearsal}
inputs: {Seconds: 0, Failure rate: ${rate}}
design: {grid: {Value: {from: ${first}, to: ${first + count - 1}, step: 1}}}
${more}
`;
  return { text, file: `${name}.yaml` };
}

export interface Failing {
  first: number;
  count?: number;
  rate?: number;
  more: string;
}
