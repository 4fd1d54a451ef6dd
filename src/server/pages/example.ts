/** The campaign that an empty list offers. Its model ships with foray. */
export const EXAMPLE = {
  model: 'Epidemic',
  definition: `# An outbreak of influenza in a boarding school: how do both rates change it?
campaign: first-example
model: {name: Epidemic}
inputs:
  Days: 28
design:
  grid:
    Contact rate: {from: 1.2, to: 2.2, step: 0.1} # a day
    Recovery rate: {from: 0.3, to: 0.6, step: 0.05} # a day
outputs: [Peak infected, Peak day, Attack rate, Infected]
`,
};
