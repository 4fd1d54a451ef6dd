export const RATES = '{ Contact rate: { min: 1.2, max: 2.2 }, Recovery rate: { min: 0.3, max: 0.6 } }';

export function flu(design: string, rest = '') {
  return {
    file: 'flu.yaml',
    text: `
campaign: flu
model: { name: Epidemic }
outputs: [Attack rate]
design: ${design}
seed: 3
${rest}
`,
  };
}

export const SALTELLI = (points: string): string => `{ saltelli: { points: ${points}, inputs: ${RATES} } }`;
