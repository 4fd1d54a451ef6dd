import { type FormModel, formShape, type Shape } from '../../../src/campaign/form/shape.ts';
import fc from '../../support/fast-check.ts';

/** A model with inputs of each kind, and unusual names. */
export const MODEL: FormModel = {
  name: 'Epidemic',
  inputs: [
    { name: 'Contact rate', type: 'DOUBLE', units: 'PER_DAY', value: '1.66', min: 0, max: 10 },
    { name: 'Days', type: 'INTEGER', units: null, value: '14' },
    { name: 'Closed', type: 'BOOLEAN', units: null, value: 'false' },
    { name: 'Policy: a/b?', type: 'STRING', units: null, value: 'none', values: ['none', 'a, "b"'] },
    { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
  ],
  outputs: [
    { name: 'Peak infected', type: 'INTEGER' },
    { name: 'Fit ~ error', type: 'DOUBLE' },
    { name: 'Infected', type: 'DATA_SET' },
  ],
};
export const shape = formShape(MODEL);

/** Made once, because fast-check checks the unit of each new arbitrary of strings against many dangerous words. */
const words = fc.stringMatching(/^[a-zA-Z"',:#{}[\]-][ a-zA-Z0-9"',:#{}[\]-]{0,9}[a-z]$/);

/** Draws the fields of a shape as a person fills them in: one shape of a choice, and some of the settings. */
export function drawn(of: Shape | undefined = shape): fc.Arbitrary<unknown> {
  if (of === undefined) return fc.constant(undefined);
  switch (of.is) {
    case 'value': {
      if (of.type === 'boolean') return fc.boolean();
      if (of.options) return fc.constantFrom(...of.options);
      if (of.type === 'number')
        return fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one || 0);
      return words;
    }
    case 'list':
      return fc.array(drawn(of.of), { minLength: 1, maxLength: 4 });
    case 'table':
      return fc.array(fc.record({ Days: fc.integer(), Closed: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      });
    case 'choice':
      return fc.oneof(...of.of.map(({ shape: inner }) => drawn(inner)));
    case 'group': {
      const used = of.choices.map((keys) => fc.constantFrom(...keys));
      return fc.tuple(...used).chain((chosen) => {
        const settings = of.settings.filter(
          ({ key, shape: inner }) =>
            inner && of.choices.every((keys, at) => !keys.includes(key) || chosen[at] === key),
        );
        const needed = settings.filter(({ key, isRequired }) => isRequired || chosen.includes(key));
        const constants = [...of.constants].flatMap(([key, { value, isNeeded }]) =>
          isNeeded ? [[key, value]] : [],
        );
        return fc
          .record(
            Object.fromEntries(
              settings.map(({ key, shape: inner }) => [
                key,
                fc.option(drawn(inner), { nil: undefined, freq: of === shape ? 1 : 3 }),
              ]),
            ),
          )
          .chain((some) =>
            fc
              .record(Object.fromEntries(needed.map(({ key, shape: inner }) => [key, drawn(inner)])))
              .map((all) => {
                const entries = Object.entries({ ...some, ...all }).filter(
                  ([, value]) => value !== undefined && !isEmpty(value),
                );
                return entries.length === 0 ? {} : (Object.fromEntries([...constants, ...entries]) as object);
              }),
          );
      });
    }
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && Object.keys(value!).length === 0;
}
