import { type Design, inputsOf, NO_DESIGN } from '../resolved-design.ts';
import { type Kind, kinds, type WrittenDesign } from '../schema.ts';
import { checkExpression, resolveDerivation } from './expressions.ts';
import { resolveFactorial, resolveOnePerInput } from './factorials.ts';
import { type DesignFacts, inputsIn, namesOf, type Path } from './inputs.ts';
import { resolveList, resolveZip } from './lists.ts';
import { resolvePointFile } from './point-files.ts';
import { resolveSample } from './samples.ts';
import { resolveMorris, resolveSaltelli } from './sensitivity.ts';
import { checkNothingLeftOut, checkStandsAlone } from './structure.ts';
import { distinctValuesOf } from './value-lists.ts';

export { derivePath, expressionPath } from './expressions.ts';
export type { DesignFacts } from './inputs.ts';
export { pointCheck, pointPaths } from './point-files.ts';

/**
 * Checks every name and value of a design and resolves it. Mistakes are added to `facts.mistakes`; the design is valid
 * only without mistakes.
 *
 * @param path the place of the design in the definition
 * @param taken inputs that another part of the definition already sets
 */
export function resolveDesign(
  written: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { mistakes } = facts;
  const kind = kinds.find((candidate) => written[candidate] !== undefined)!;
  const design =
    mistakes.attempt(() => resolveKind(kind, written, facts, [...path, kind], taken)) ?? NO_DESIGN;
  if (written.where === undefined && written.derive === undefined) return design;
  const all = new Set([...taken, ...inputsOf(design)]);
  const derive = Object.entries(written.derive ?? {}).map(([name, expression]) =>
    mistakes.attempt(() => resolveDerivation(name, expression, facts, [...path, 'derive', name], all)),
  );
  const { where } = written;
  if (where !== undefined) {
    mistakes.attempt(() => checkExpression(where, 'boolean', facts, [...path, 'where']));
    mistakes.attempt(() => checkNothingLeftOut(written, facts, path));
  }
  return {
    kind: 'refined',
    design,
    derive: derive.filter((derivation) => derivation !== undefined),
    where: where ?? null,
  };
}

function resolveKind(
  kind: Kind,
  written: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { mistakes } = facts;
  // the unchanged point has the values of these inputs outside the design
  const changesBase = kind === 'oneAtATime' || kind === 'onePerInput';
  const others = changesBase ? taken.difference(facts.fixed) : taken;
  // two members could change the same input
  const ofMember = { ...facts, fixed: new Set<string>() };
  switch (kind) {
    case 'grid':
    case 'oneAtATime': {
      const inputs = inputsIn(written[kind]!, facts, path, others);
      const values = inputs.map(({ input, value, path: at }) => distinctValuesOf(input, value, facts, at));
      return { kind, inputs: namesOf(inputs), values };
    }
    case 'zip':
      return resolveZip(written.zip!, facts, path, taken);
    case 'points':
      return typeof written.points === 'string'
        ? resolvePointFile(written.points, facts, path, taken)
        : resolveList(written.points!, facts, path, taken);
    case 'random':
    case 'lhs':
    case 'sobol':
    case 'halton':
      return resolveSample(kind, written[kind]!, facts, path, taken);
    case 'morris':
      return resolveMorris(written.morris!, facts, path, taken);
    case 'saltelli':
      return resolveSaltelli(written.saltelli!, facts, path, taken);
    case 'factorial':
      return resolveFactorial(written.factorial!, facts, path, taken);
    case 'onePerInput':
      return resolveOnePerInput(written.onePerInput!, facts, path, others);
    case 'product': {
      const designs: Design[] = [];
      const all = new Set(taken);
      for (const [at, member] of written.product!.entries()) {
        mistakes.attempt(() => checkStandsAlone(kind, member, facts, [...path, at]));
        const design = resolveDesign(member, ofMember, [...path, at], all);
        for (const name of inputsOf(design)) all.add(name);
        designs.push(design);
      }
      return { kind, designs };
    }
    case 'union': {
      const designs = written.union!.map((member, at) => {
        mistakes.attempt(() => checkStandsAlone(kind, member, facts, [...path, at]));
        return resolveDesign(member, ofMember, [...path, at], taken);
      });
      return { kind, designs };
    }
  }
}
