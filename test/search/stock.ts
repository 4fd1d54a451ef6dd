/** A campaign that finds the best of six points of the model Inventory. */
export function stock({ select, rest = 'seed: 42' }: { select: string; rest?: string }) {
  return {
    file: 'stock.yaml',
    text: `
campaign: stock
model: { name: Inventory }
outputs: [Mean total cost, Service level]
design:
  grid:
    Reorder point: [20, 30, 40]
    Order-up-to level: [60, 70]
select: ${select}
commonRandomNumbers: true
${rest}
`,
  };
}

export const KN = '{ minimize: Mean total cost, indifference: 1, report: 12 }';
