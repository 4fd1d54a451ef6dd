import type { Factorial } from './resolved-design.ts';

/** The rows of a factorial. The last basic input (an input that is not a product of others) varies fastest. */
export function* factorialRows({ values, generators }: Factorial): Generator<string[]> {
  const basic = values.flatMap((_, at) => (generators[at] ? [] : [at]));
  const places = values.map(() => 0);
  for (;;) {
    yield values.map((list, at) => {
      const generator = generators[at];
      if (!generator) return list[places[at]!]!;
      const isHigh = generator.of.filter((other) => places[other] === 0).length % 2 === 0;
      return list[isHigh === (generator.sign === 1) ? 1 : 0]!;
    });
    const turned = basic.findLast((at) => places[at]! < values[at]!.length - 1);
    if (turned === undefined) return;
    places[turned]! += 1;
    for (const at of basic) if (at > turned) places[at] = 0;
  }
}
