// A picture has its title, caption and specification in a file of this folder, and its place in html/report-sections.ts.
import * as vega from 'vega';
import { compile, type Config, type TopLevelSpec } from 'vega-lite';
import type { MOST_GROUPS } from '../summary/courses.ts';

/** Colours for light and dark pages. Parts without a colour of their own have the page's text colour. */
export const colours = {
  best: '#e8590c',
  line: '#4c7fd9',
  muted: '#8b919c',
  bad: '#d6455d',
  ink: 'currentColor',
} as const;

/** Colours of lines that stand for inputs, or for the values of one input. */
export const COURSE_COLOURS = [
  '#4c7fd9',
  '#e8590c',
  '#2f9e6e',
  '#a06cd5',
  '#d6455d',
  '#8b919c',
] as const satisfies { length: typeof MOST_GROUPS };

/** Width of the pictures in a report, in pixels before the page scales them. */
export const WIDTH = 900;

const config: Config = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  padding: 4,
  view: { stroke: null },
  aria: false,
  axis: {
    labelColor: colours.ink,
    titleColor: colours.ink,
    domainColor: colours.ink,
    tickColor: colours.ink,
    gridColor: colours.ink,
    gridOpacity: 0.12,
    domainOpacity: 0.35,
    tickOpacity: 0.35,
    labelOpacity: 0.8,
    labelFontSize: 12,
    titleFontSize: 13,
    titleFontWeight: 600,
    titlePadding: 10,
    labelPadding: 5,
    labelLimit: 160,
  },
  legend: {
    labelColor: colours.ink,
    titleColor: colours.ink,
    labelFontSize: 12,
    titleFontSize: 13,
    titleFontWeight: 600,
    titlePadding: 8,
    titleLimit: 400,
    labelLimit: 240,
  },
  title: { color: colours.ink, fontSize: 13, fontWeight: 600 },
};

export type Spec = Omit<TopLevelSpec, '$schema' | 'config'>;

/** A layer that a picture has only under a condition. `make` may add rows to the numbers, so it is called only then. */
export function layerIf(isDrawn: boolean, make: () => object): object[] {
  return isDrawn ? [make()] : [];
}

export interface DrawnSpec {
  /** The SVG element for a page: as wide as its container, with its own ids. */
  svg: string;
  /** The panels that have marks with a row, in the order of the picture. */
  panels: Panel[];
}

/** A panel of a picture, in the units of its viewBox. */
export interface Panel extends Box {
  marks: Mark[];
}

/** A rectangle: its left upper corner and its size. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A mark: its middle, its size, and the row of the picture's numbers that it shows. */
export interface Mark extends Box {
  row: number;
}

/**
 * Draws a Vega-Lite specification. A datum with a number `row` says which row of the picture's numbers its mark shows.
 *
 * @param id - distinguishes the picture from others on the page
 * @param label - a description for readers who cannot see the picture
 */
export async function draw(spec: Spec, id: string, label: string): Promise<DrawnSpec> {
  const compiled = compile({ ...(disguised(spec) as Spec), config } as TopLevelSpec).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logLevel: vega.Error });
  try {
    view.locale(withExponents(view.locale()));
    const svg = await view.toSVG();
    // two decimals are enough for a position in pixels, and make the picture a third smaller
    const rounded = svg.replaceAll(/ d="[^"]*"/g, shortened);
    // a screen reader treats the picture as one image, so its marks must have no roles
    const whole = rounded.replaceAll(/ (role="graphics-\w+"|aria-roledescription="[^"]*")/g, '');
    const drawn = ownIds(undisguised(slim(whole)), id).replace(
      /^<svg[^>]*?(viewBox="[^"]*")[^>]*>/,
      `<svg $1 role="img" aria-label="${escapeAttribute(label)}">`,
    );
    return { svg: drawn, panels: panelsIn(view) };
  } finally {
    view.finalize();
  }
}

/** The kinds of marks that show a row. Rules and texts only accompany them. */
const WITH_ROW = new Set(['symbol', 'rect', 'line', 'area']);

/**
 * Reads the panels and their marks from the scene that Vega has drawn. Of several marks of one row at one place, such as
 * a dot on a line, only the last one counts, which is in front.
 */
function panelsIn(view: vega.View): Panel[] {
  const panels: Panel[] = [];
  const { left, top } = view.padding() as { left: number; top: number };
  const [x, y] = view.origin();
  walk((view.scenegraph() as unknown as { root: SceneMark }).root, left + x, top + y);
  return panels.flatMap(({ marks, ...panel }) => {
    const placeOf = ({ row, x, y }: Mark): string => [row, Math.round(x), Math.round(y)].join();
    const own = new Map(marks.map((mark) => [placeOf(mark), mark]));
    return own.size > 0 ? [{ ...panel, marks: [...own.values()] }] : [];
  });

  function walk({ marktype, name, items }: SceneMark, x: number, y: number, panel?: Panel): void {
    for (const item of items) {
      const [left, top] = [x + (item.x ?? 0), y + (item.y ?? 0)];
      if (marktype === 'group') {
        // the group of one line of several lies in the panel of all of them
        let own = panel;
        if (!own || !name?.endsWith('pathgroup')) {
          own = { x: left, y: top, width: item.width ?? 0, height: item.height ?? 0, marks: [] };
          panels.push(own);
        }
        for (const mark of item.items ?? [])
          if (mark.role !== 'axis' && mark.role !== 'legend') walk(mark, left, top, own);
        continue;
      }
      const row = item.datum?.row;
      if (typeof row !== 'number' || !panel || !WITH_ROW.has(marktype)) continue;
      const isRect = marktype === 'rect';
      const [width, height] = isRect ? [item.width ?? 0, item.height ?? 0] : [0, 0];
      // the middle of a band is halfway between its edges
      const middle = marktype === 'area' ? (top + y + (item.y2 ?? item.y ?? 0)) / 2 : top + height / 2;
      panel.marks.push({ x: left + width / 2, y: middle, width, height, row });
    }
  }
}

/** A part of Vega's scene: marks of one kind. */
interface SceneMark {
  marktype: string;
  role: string;
  name?: string;
  items: (Partial<Box> & { y2?: number; datum?: { row?: unknown }; items?: SceneMark[] })[];
}

/**
 * The labels of axes and colour scales, with thousands separators and percent signs as in texts. Numbers below 1e-4, as in
 * tables, and from 1e12 have exponents, because Vega would cut their last digits. The labels of a linear scale all have
 * exponents if its largest number needs one.
 */
function withExponents(locale: vega.LocaleFormatters): vega.LocaleFormatters {
  const fits = (size: number): boolean => size === 0 || (size >= 1e-4 && size < 1e12);
  return {
    ...locale,
    formatFloat(specifier) {
      if (isPercent(specifier)) return spaced(locale.formatFloat(specifier));
      const [plain, exponent] = [locale.formatFloat(specifier), locale.formatFloat('~e')];
      return (value) => (fits(Math.abs(value)) ? plain(value) : exponent(value));
    },
    formatSpan(start, stop, count, specifier) {
      if (isPercent(specifier)) return spaced(locale.formatSpan(start, stop, count, specifier));
      // Vega would show a single value with all digits that a step may need, such as 5.000000
      if (start === stop) return this.formatFloat(',.6~r');
      if (fits(Math.max(Math.abs(start), Math.abs(stop))))
        return locale.formatSpan(start, stop, count, specifier);
      const exponent = locale.formatSpan(start, stop, count, '~e');
      return (value) => (value === 0 ? '0' : exponent(value));
    },
  };
}

/** Puts a space before the percent sign. */
function spaced(format: (value: number) => string): (value: number) => string {
  return (value) => format(value).replace('%', ' %');
}

function isPercent(specifier: unknown): boolean {
  return String(specifier).includes('%');
}

/**
 * Vega takes these texts for names of signals, even in quotes, and then draws nothing. It looks for the text among its
 * keywords, of which `if` is the only one, and finds all properties of JavaScript objects there. A disguise has a
 * character for private use as its last letter. It has the length of its text, so the picture stays the same.
 */
const disguises = new Map(
  ['if', ...Object.getOwnPropertyNames(Object.prototype)].map((text) => {
    const last = text.length - 1;
    return [text, text.slice(0, last) + String.fromCharCode(0xe000 + text.charCodeAt(last))];
  }),
);

/** Disguises all texts of a specification, also in its data, because titles, labels and data must fit together. */
function disguised(part: unknown): unknown {
  if (typeof part === 'string') return disguises.get(part) ?? part;
  if (Array.isArray(part)) return part.map(disguised);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, disguised(value)]));
}

/** Leaves out what changes nothing, because a picture may have thousands of marks. */
function slim(svg: string): string {
  const hex = (level: string): string => Number(level).toString(16).padStart(2, '0');
  return svg
    .replaceAll(
      // only in a tag, because a label may have such a text too; a label has no quotation mark and no "<" of its own
      /(?<=<[^<>]* (?:fill|stroke)=")rgb\((\d+), ?(\d+), ?(\d+)\)(?=")/g,
      (_, ...levels: string[]) => `#${levels.slice(0, 3).map(hex).join('')}`,
    )
    .replaceAll(/<(?:path|line|text) [^>]*>/g, (tag) =>
      (tag.includes(' stroke="') ? tag : tag.replace(' stroke-width="0"', '')).replace(' opacity="1"', ''),
    );
}

function undisguised(svg: string): string {
  let text = svg;
  for (const [name, disguise] of disguises) text = text.replaceAll(disguise, name);
  return text;
}

/**
 * Replaces the ids in a picture. Vega numbers the ids of all pictures together. Here the numbers begin at 1 in each
 * picture.
 */
function ownIds(svg: string, id: string): string {
  const names = new Map<string, string>();
  for (const [, name] of svg.matchAll(/ id="([^"]+)"/g)) names.set(name!, `${id}-${names.size + 1}`);
  return svg
    .replaceAll(/ id="([^"]+)"/g, (_, name: string) => ` id="${names.get(name)}"`)
    .replaceAll(/url\(#([^()]+)\)/g, (_, name: string) => `url(#${names.get(name) ?? name})`);
}

function escapeAttribute(text: string): string {
  // "$" is also replaced, because it has a special meaning in a replacement text
  return text.replaceAll(/[&<>"$]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Each side of a rectangle becomes longer by this number of pixels. Cutting the decimals can make a side shorter by
 * nearly this number. Without the extra length, there would be thin gaps between cells.
 */
const SIDE = 0.02;

/** Cuts the numbers of a path to two decimals, and makes the sides of rectangles longer by `SIDE`. */
function shortened(path: string): string {
  const cut = path.replaceAll(/(\.\d\d)\d+/g, '$1');
  return cut.replaceAll(/([hv]-?)(\d+(?:\.\d+)?)/g, (_, side: string, length: string) =>
    Number(length) === 0 ? `${side}0` : side + String(Number((Number(length) + SIDE).toFixed(2))),
  );
}
