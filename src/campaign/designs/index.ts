import * as z from 'zod';
import { ForayError } from '../../errors.ts';
import { checkExpression, resolveDerivation } from './expressions.ts';
import { type Factorial, factorial } from './factorial.ts';
import { grid, type Listed } from './grid.ts';
import type {
  AnyWrittenDesign,
  DesignFacts,
  Path,
  ResolvedKind,
  Row,
  RowContext,
  WrittenKind,
} from './kind.ts';
import { type Morris, morris } from './morris.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { onePerInput } from './one-per-input.ts';
import { file, type List, list, points, type PointsOfFile } from './points.ts';
import { type Product, product } from './product.ts';
import { type Refined, refined } from './refined.ts';
import { halton, lhs, random, type Sample, sample, sobol } from './sample.ts';
import { type Saltelli, saltelli } from './saltelli.ts';
import { byInput } from './schema-values.ts';
import { type Union, union } from './union.ts';
import { zip } from './zip.ts';

/** The table of all kinds of design, and what can be done with a design of any kind. */

/** The kinds of design that do not contain others, as a person writes them. */
const simple = {
  grid,
  zip,
  points,
  oneAtATime,
  random,
  lhs,
  sobol,
  halton,
  morris,
  saltelli,
  factorial,
  onePerInput,
};

type Simple = { [K in keyof typeof simple]?: z.input<(typeof simple)[K]['schema']> | undefined };

/** A design as a person writes it: exactly one kind, with `where` and `derive`. */
export interface WrittenDesign extends Simple {
  product?: WrittenDesign[] | undefined;
  union?: WrittenDesign[] | undefined;
  where?: string | undefined;
  derive?: Record<string, string> | undefined;
}

type KindName = Exclude<keyof WrittenDesign, 'where' | 'derive'>;

/** The kinds of design that a person may write. A design has exactly one of them. */
export const kinds: readonly KindName[] = [...(Object.keys(simple) as (keyof Simple)[]), 'product', 'union'];

const EXPRESSION = 'expected an expression in quotes';

/** The shape of a design as a person writes it. */
export const DesignSchema = z
  .strictObject(
    {
      ...Object.fromEntries(Object.entries(simple).map(([kind, { schema }]) => [kind, schema.optional()])),
      get product() {
        return combined.product.schema.optional();
      },
      get union() {
        return combined.union.schema.optional();
      },
      where: z
        .string(EXPRESSION)
        .optional()
        .describe(
          'Keeps only the points for which this expression is true, such as "`Contact rate` > `Recovery rate`".',
        ),
      derive: byInput(z.string(EXPRESSION), 'expected input names with expressions')
        .optional()
        .describe(
          'Inputs that are computed from others: {INPUT: "expression"}. They are computed one after the other.',
        ),
    },
    `expected {${kinds.join(' | ')}: …}`,
  )
  .refine(
    (design: WrittenDesign) => kinds.filter((kind) => design[kind] !== undefined).length === 1,
    `expected one of ${kinds.join(', ')}; product and union combine several`,
  )
  .meta({
    id: 'Design',
    description:
      'The points: one kind of design, with where and derive. Without a design there is one point.',
    oneOf: kinds.map((kind) => ({ required: [kind] })),
  }) as z.ZodType<WrittenDesign, WrittenDesign>;

/**
 * A design whose names and values were all checked. All values are canonical. It is plain JSON and self-contained,
 * except the rows of a file, which are in the store under the hash of the file.
 */
export type Design =
  | Listed<'grid'>
  | Listed<'zip'>
  | Listed<'oneAtATime'>
  | Listed<'onePerInput'>
  | List
  | PointsOfFile
  | Sample
  | Morris
  | Saltelli
  | Factorial
  | Product<Design>
  | Union<Design>
  | Refined<Design>;

const anyDesign: AnyWrittenDesign<WrittenDesign, Design> = {
  members: z.array(DesignSchema, 'expected a list of designs').min(1, 'expected at least one design'),
  resolveMember,
  inputsOf,
  rowsWithPauses,
  sizeOf,
  mostRows,
  levelsOf,
  hasDraws,
};
const combined = { product: product(anyDesign), union: union(anyDesign) };
const written = { ...simple, ...combined };
const resolved: { [K in Design['kind']]: ResolvedKind<Extract<Design, { kind: K }>> } = {
  grid,
  zip,
  oneAtATime,
  onePerInput,
  list,
  file,
  sample,
  morris,
  saltelli,
  factorial,
  ...combined,
  refined: refined(anyDesign),
};

/** What the kinds of design are called in a form. Kinds that contain other designs have no title. */
export const kindTitles: Readonly<Record<string, string>> = Object.fromEntries(
  kinds.flatMap((kind) => {
    const { title } = written[kind] as { title?: string };
    return title === undefined ? [] : [[kind, title]];
  }),
);

/** Whether a kind that a person may write is made for a sensitivity analysis. */
export function isForSensitivity(kind: string): boolean {
  return (written[kind as KindName] as { isForSensitivity?: boolean }).isForSensitivity === true;
}

/** The kind of a design, with its functions. */
export function kindOf({ kind }: Design): ResolvedKind<Design> {
  return resolved[kind] as ResolvedKind<Design>;
}

/** A design with one point and no varied input. */
export const NO_DESIGN: Design = { kind: 'grid', inputs: [], values: [] };

/** A design over some inputs without points, which are found while the campaign runs. */
export function pointsOver(inputs: readonly { name: string }[]): Design {
  return { kind: 'list', inputs: inputs.map(({ name }) => name), rows: [] };
}

/**
 * Checks every name and value of a design and resolves it. Mistakes are added to `facts.mistakes`; the design is valid
 * only without mistakes.
 *
 * @param path the place of the design in the definition
 * @param taken inputs that another part of the definition already sets
 */
export function resolveDesign(
  design: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { mistakes, locate } = facts;
  const { name, kind, settings } = writtenKind(design);
  const core = mistakes.attempt(() => kind.resolve(settings, facts, [...path, name], taken)) ?? NO_DESIGN;
  const { where, derive } = design;
  if (where === undefined && derive === undefined) return core;
  const takenSoFar = new Set([...taken, ...inputsOf(core)]);
  const derived = Object.entries(derive ?? {}).map(([input, expression]) =>
    mistakes.attempt(() =>
      resolveDerivation(input, expression, facts, [...path, 'derive', input], takenSoFar),
    ),
  );
  if (where !== undefined) {
    mistakes.attempt(() => checkExpression(where, 'boolean', facts, [...path, 'where']));
    const needed = kind.needsAllPoints?.(settings);
    if (needed) {
      mistakes.add(
        new ForayError('INVALID_VALUE', `"where" cannot leave points out of a ${needed.name}.`, {
          place: locate([...path, 'where'], 'key'),
          hint: needed.hint,
        }),
      );
    }
  }
  return {
    kind: 'refined',
    design: core,
    derive: derived.filter((derivation) => derivation !== undefined),
    where: where ?? null,
  };
}

/** Resolves a member of a product or union. Its analysis must not need exactly its own points. */
function resolveMember(
  whole: 'product' | 'union',
  member: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { name, kind, settings } = writtenKind(member);
  const needed = kind.needsAllPoints?.(settings);
  if (needed) {
    facts.mistakes.add(
      new ForayError('INVALID_VALUE', `A ${needed.name} cannot be part of a ${whole}.`, {
        place: facts.locate([...path, name], 'key'),
        hint: 'Its analysis needs all of its points and no others. Submit it as a campaign of its own; runs that the service already has are reused.',
      }),
    );
  }
  // two members could vary the same input, so no member may vary an input that has a value: `fixed` is empty
  return resolveDesign(member, { ...facts, fixed: new Set<string>() }, path, taken);
}

/** The kind of a written design, and the settings under its name. */
function writtenKind(design: WrittenDesign): {
  name: KindName;
  kind: WrittenKind<unknown, Design>;
  settings: unknown;
} {
  const name = kinds.find((candidate) => design[candidate] !== undefined)!;
  return { name, kind: written[name] as WrittenKind<unknown, Design>, settings: design[name] };
}

/** The inputs that a design varies, in the order of their first mention. */
export function inputsOf(design: Design): string[] {
  const byKind = kindOf(design).inputs?.(design);
  if (byKind) return byKind;
  return 'inputs' in design
    ? design.inputs.map((input) => (typeof input === 'string' ? input : input.name))
    : [];
}

/**
 * The rows of a design, in its order: the canonical values of its inputs, in the order of `inputsOf`. In designs for
 * which {@link sizeOf} is undefined, rows may repeat.
 *
 * @throws DeriveError
 * @throws OperandError
 */
export function* rowsOf(design: Design, context: RowContext): Generator<Row> {
  for (const row of rowsWithPauses(design, context)) if (row) yield row;
}

/**
 * Like {@link rowsOf}. Undefined stands for a row that the design leaves out, so that the work between two items has a
 * bound.
 */
export function rowsWithPauses(design: Design, context: RowContext): Iterable<Row | undefined> {
  return kindOf(design).rows(design, context);
}

/**
 * The number of points of a design; undefined if it is unknown before the points are made, because points may be left
 * out or repeated.
 */
export function sizeOf(design: Design): number | undefined {
  return kindOf(design).size?.(design);
}

/** The largest possible number of rows of a design, including repeated and omitted rows. */
export function mostRows(design: Design): number {
  return kindOf(design).mostRows?.(design) ?? sizeOf(design)!;
}

/** The values that a design lists for each input, in the design's order. Inputs without such a list are left out. */
export function levelsOf(design: Design): Map<string, readonly string[]> {
  return new Map(kindOf(design).levels?.(design));
}

/**
 * The inputs whose values come from a sample, a list or a file, and not from a grid, each with the average number of
 * points that share a value. It is above 1 only in a design for Sobol' indices, where several points have the values of
 * a base point.
 */
export function scatteredInputs(design: Design): Map<string, number> {
  return new Map([...nested(design)].flatMap((one) => kindOf(one).scattered?.(one) ?? []));
}

/** A design and all designs within it. */
export function* nested(design: Design): Generator<Design> {
  yield design;
  if ('designs' in design) for (const member of design.designs) yield* nested(member);
  if (design.kind === 'refined') yield* nested(design.design);
}

/** Whether a design, or a design within it, is made for a sensitivity analysis. */
export function isSensitivityDesign(design: Design): boolean {
  return nested(design).some((one) => kindOf(one).isForSensitivity === true);
}

/** The files with the rows of a design. */
export function filesOf(design: Design): PointsOfFile[] {
  return [...nested(design)].filter((one) => one.kind === 'file');
}

/** Whether a design computes inputs from others. A computed value may be invalid for its input. */
export function hasDerived(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.derive.length > 0);
}

/** Whether a design, or a design within it, has a condition that leaves points out. */
export function hasCondition(design: Design): boolean {
  return nested(design).some((one) => one.kind === 'refined' && one.where !== null);
}

/** Whether the points of a design, or of a design within it, depend on a seed. */
export function isRandom(design: Design): boolean {
  return nested(design).some((one) => 'seed' in one);
}

/** Whether a design, or a design within it, draws its points or has rows that repeat, so that equal rows count. */
export function hasDraws(design: Design): boolean {
  return nested(design).some(
    (one) => one.kind === 'sample' || (one.kind === 'file' && one.repeats !== undefined),
  );
}
