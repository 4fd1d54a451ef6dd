/** Influenza in an English boarding school, 1978: how many of the 763 pupils were in bed on days 1 to 14. */
const inBed = [3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4];

export const observed = inBed.map((cases, i) => ({ day: i + 1, cases }));

export const observedCsv = `day,in_bed\n${observed.map(({ day, cases }) => `${day},${cases}`).join('\n')}\n`;
