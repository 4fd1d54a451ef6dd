/** A campaign of the model Service System Demo whose points need several replications. */
export const queue = (more: string, capacities = '[8, 9, 12]') => ({
  text: `
campaign: precise
model: {name: Service System Demo}
inputs: {"{STOP_TIME}": 300}
design: {grid: {Server capacity: ${capacities}}}
outputs: [Server utilization, Mean waiting time]
seed: 7
${more}
`,
  file: 'precise.yaml',
});

export const precise = (max: number, min = 4) =>
  `replications: {min: ${min}, max: ${max}, output: server UTILIZATION, relative: 0.04}`;
