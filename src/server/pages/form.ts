import { allowedText } from '../../api/index.ts';
import {
  chosenIn,
  type Fields,
  isAt,
  item,
  pathOfField,
  shapeAt,
  within,
} from '../../campaign/form/fields.ts';
import { GOAL_OF_ITS_OWN, KIND, wayOf, ways, WITHOUT_DESIGN } from '../../campaign/form/form.ts';
import {
  type GroupShape,
  isShown,
  type Setting,
  type Shape,
  STRATEGIES,
  type ValueShape,
} from '../../campaign/form/shape.ts';
import type { ForayError } from '../../errors.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { titleOf, typeText } from '../../report/words/words.ts';
import { listItems } from '../../text/list-items.ts';
import {
  defaultText,
  idOf,
  isOrdered,
  isVaried,
  isWithin,
  labelOf,
  option,
  outputsFor,
  settingAt,
  settingIn,
  shapeWords,
  uploadFor,
  wordsOf,
} from './form-parts.ts';

/** The name of the control for a field of a definition. Other controls of the page have names without a slash. */
export const CONTROL = '/';
/** The field for the name of the model, which stands above the others. */
export const MODEL = 'model/name';

/** The settings that a campaign mostly has. The others are under "More settings". */
const MAIN = ['replications', 'commonRandomNumbers', 'outputs', 'goal'];
/** Settings with a place of their own. */
const PLACED = [...MAIN, ...STRATEGIES, 'campaign', 'model', 'inputs', 'files', 'design'];
/** The maximum number of boxes for the values of a list. A longer list is one text. */
const MOST_BOXES = 40;

/** Draws the fields of a form. Each mistake stands at the field for its setting, which is marked. */
export class FormFields {
  readonly #shape: GroupShape;
  readonly #fields: Fields;
  readonly #mistakes: readonly ForayError[];
  readonly #experiments: readonly string[];
  /** The fields that have controls. */
  readonly #drawn = new Set<string>([MODEL]);
  readonly #places = new Map<ForayError, string>();

  constructor(
    shape: GroupShape,
    fields: Fields,
    { mistakes, experiments }: { mistakes: readonly ForayError[]; experiments: readonly string[] },
  ) {
    this.#shape = shape;
    this.#fields = fields;
    this.#mistakes = mistakes;
    this.#experiments = experiments;
  }

  /** The id of the field at which a mistake stands. */
  placeOf(mistake: ForayError): string | undefined {
    return this.#places.get(mistake);
  }

  /** All fields. Fields that are not in use are hidden, so that a later choice finds their texts. */
  markup(): Markup {
    const way = wayOf(this.#fields);
    const main = this.#mayHaveGoal(way) ? MAIN : MAIN.filter((key) => key !== 'goal');
    const more = this.#shape.settings.map(({ key }) => key).filter((key) => !PLACED.includes(key));
    const body = html`<div class="fields">
        ${this.#settings('', this.#shape, ['campaign'])}
        ${this.#setting(within('model', 'version'), this.#inner('model', 'version'))}
      </div>
      ${STRATEGIES.includes(way) ? this.#wayPart(labelOf(way), way) : ''}
      ${WITHOUT_DESIGN.includes(way) ? '' : this.#design(way)} ${this.#inputs(way)}
      <div class="fields">${this.#settings('', this.#shape, main)}</div>
      <details id="more" ${more.some((key) => this.#isGiven(key)) ? html`open` : ''}>
        <summary>More settings</summary>
        <div class="fields">${this.#settings('', this.#shape, more)}</div>
      </details>`;
    const hidden = [...this.#fields].filter(([name, text]) => text !== '' && !this.#drawn.has(name));
    return html`${body}
    ${hidden.map(([name, text]) => html`<input type="hidden" name="${CONTROL}${name}" value="${text}" />`)}`;
  }

  /** Whether the goal has fields. A search has a goal of its own, and refuses another one. */
  #mayHaveGoal(way: string): boolean {
    return this.#isGiven('goal') || !GOAL_OF_ITS_OWN.includes(way);
  }

  /** Whether a field of a setting, or of something in it, is filled in. */
  #isGiven(name: string): boolean {
    return [...this.#fields].some(([field, text]) => text !== '' && isAt(field, name));
  }

  #inner(...keys: string[]): Setting {
    return settingAt(this.#shape, keys);
  }

  /** The part of a strategy, without the values of the inputs. */
  #wayPart(title: string, ...path: string[]): Markup {
    const setting = this.#inner(...path);
    const { shape, description } = setting;
    const name = path.reduce(within, '');
    if (shape?.is !== 'group') return this.#setting(name, setting);
    // a strategy with methods, such as abc, has its settings in the method
    const [only, ...others] = shape.settings.filter(isShown);
    if (only?.shape?.is === 'group' && others.length === 0) return this.#wayPart(title, ...path, only.key);
    return html`<fieldset class="part">
      <legend>${title}</legend>
      <p class="soft">${description}</p>
      ${this.#mistakesAt(name, path)}
      <div class="fields">${this.#group(shape, name, true)}</div>
    </fieldset>`;
  }

  #design(way: string): Markup {
    const design = this.#inner('design').shape as GroupShape;
    const kind = this.#fields.get(KIND) ?? '';
    this.#drawn.add(KIND);
    const known = ways.filter(({ name }) => design.settings.some(({ key }) => key === name));
    const choice =
      way === 'select'
        ? html`<div class="fields">
            <label
              >Points to compare
              <select name="${CONTROL}${KIND}">
                ${kind === '' ? option('', 'none of these', '') : ''}
                ${known.map(({ name, title }) => option(name, title, kind))}
              </select></label
            >
          </div>`
        : html`<input type="hidden" name="${CONTROL}${KIND}" value="${kind}" />`;
    if (kind === '') return choice;
    const more = [this.#inner('design', 'where'), this.#inner('design', 'derive')];
    const { shape, description } = this.#inner('design', kind);
    const title = known.find(({ name }) => name === kind)!.title;
    // a kind with one entry per input has its fields at the inputs
    const isAtInputs = shape?.is === 'group' && shape.by === 'input';
    return html`${choice}
      ${
        isAtInputs
          ? html`<fieldset class="part">
              <legend>${title}</legend>
              <p class="soft">${description}</p>
            </fieldset>`
          : this.#wayPart(title, 'design', kind)
      }
      <div class="fields">
        ${more.map((setting) => this.#setting(within('design', setting.key), setting))}
      </div>`;
  }

  /** One row for each input: its fixed value, and how it varies. */
  #inputs(way: string): Markup {
    const [fixed, files] = ['inputs', 'files'].map((key) => this.#inner(key).shape as GroupShape);
    const varied = this.#varied(way);
    const rows = fixed!.settings.map((setting) => {
      const { key, input } = setting;
      const isFile = input?.type === 'INPUT_FILE';
      const from = isFile ? files!.settings.find((one) => one.key === key)! : setting;
      const name = within(isFile ? 'files' : 'inputs', key);
      const change = varied?.shape.settings.find((one) => one.key === key);
      return html`<div class="row" role="group" aria-label="${key}">
        <div>
          ${titleOf(input!)}<br /><small class="soft">${allowedText(input!) || typeText(input!.type)}</small>
        </div>
        <div>
          ${this.#shapeOf(from.shape, name, from, isFile ? 'File' : 'Fixed value')}
          ${isFile ? uploadFor(name) : ''}
        </div>
        <div>${change ? this.#shapeOf(change.shape, within(varied!.name, key), change, 'Varies') : ''}</div>
      </div>`;
    });
    if (rows.length === 0) return html``;
    return html`<fieldset class="part inputs">
      <legend>Inputs</legend>
      <p class="soft">
        An empty fixed value is the value of the
        model.${varied ? ' An input that varies needs no fixed value.' : ''}
      </p>
      ${varied ? this.#mistakesAt(varied.name, pathOfField(varied.name)) : ''} ${rows}
    </fieldset>`;
  }

  /** The values of inputs that the way varies. */
  #varied(way: string): { name: string; shape: GroupShape } | undefined {
    const path = WITHOUT_DESIGN.includes(way) ? [way] : ['design', this.#fields.get(KIND) ?? ''];
    if (path.at(-1) === '') return undefined;
    let { shape } = this.#inner(...path);
    let name = path.reduce(within, '');
    while (shape?.is === 'group') {
      if (shape.by === 'input') return { name, shape };
      const inner: Setting | undefined =
        shape.settings.find(isVaried) ?? shape.settings.find(({ shape: one }) => one?.is === 'group');
      if (!inner) return undefined;
      name = within(name, inner.key);
      ({ shape } = inner);
    }
    return undefined;
  }

  #settings(name: string, { settings }: GroupShape, keys: readonly string[]): Markup[] {
    return keys.map((key) =>
      this.#setting(
        within(name, key),
        settings.find((one) => one.key === key)!,
      ),
    );
  }

  #setting(name: string, setting: Setting): Markup {
    const { key, description, shape } = setting;
    if (!shape || (key === 'units' && !this.#fields.get(name))) return html``;
    if (shape.is === 'value' || shape.is === 'list')
      return this.#shapeOf(shape, name, setting, labelOf(key), description);
    const isWrong = this.#mistakes.some(({ place }) => isWithin(settingIn(place), pathOfField(name)));
    const isOpen = this.#isGiven(name) || isWrong || setting.isRequired || key === 'goal';
    return html`<details class="wide" id="all-${idOf(name)}" ${isOpen ? html`open` : ''}>
      <summary>${labelOf(key)}</summary>
      <p class="soft">${description}</p>
      ${shape.is === 'group' ? this.#mistakesAt(name, pathOfField(name)) : ''}
      ${key === 'observed' ? html`<div class="fields">${uploadFor(name, 'A CSV file with observations')}</div>` : ''}
      <div class="fields">${this.#shapeOf(shape, name, setting, labelOf(key))}</div>
    </details>`;
  }

  #group(shape: GroupShape, name: string, isWay = false): Markup {
    const { settings, choices } = shape;
    const single = settings.filter(
      (one) => !choices.some((keys) => keys.includes(one.key)) && !(isWay && isVaried(one)),
    );
    return html`${choices.map((keys) => this.#exclusive(shape, name, keys))}
    ${single.map((setting) =>
      shape.by === undefined
        ? this.#setting(within(name, setting.key), setting)
        : html`<div class="row" role="group" aria-label="${setting.key}">
            <div>${setting.key}</div>
            <div class="both">
              ${this.#shapeOf(setting.shape, within(name, setting.key), setting, setting.key)}
            </div>
          </div>`,
    )}`;
  }

  /** Settings of which only one is in use: a select, and the field of the chosen one. */
  #exclusive({ settings }: GroupShape, name: string, keys: readonly string[]): Markup {
    const field = chosenIn(name, keys);
    const chosen = this.#fields.get(field) || keys[0]!;
    this.#drawn.add(field);
    const known = keys.flatMap((key) => settings.find((one) => one.key === key) ?? []);
    return html`<div class="choice">
      <label
        >${keys.map(labelOf).join(' or ')}
        <select name="${CONTROL}${field}">
          ${known.map(({ key }, at) => option(key, labelOf(key), chosen, at))}
        </select></label
      >
      ${known.map(
        (setting, at) =>
          html`<div class="shape" data-shape="${at}">
            ${this.#setting(within(name, setting.key), setting)}
          </div>`,
      )}
    </div>`;
  }

  #shapeOf(shape: Shape | undefined, name: string, setting: Setting, label: string, about = ''): Markup {
    switch (shape?.is) {
      case undefined:
        return html``;
      case 'value':
        return this.#control(name, label, about, (attributes) =>
          this.#value(shape, name, setting, attributes),
        );
      case 'list':
        return this.#list(shape.of, name, setting, label, about);
      case 'table':
        return this.#control(
          name,
          'Points: names of inputs, then one point a line',
          about,
          (attributes) =>
            html`<textarea name="${CONTROL}${name}" rows="5" ${attributes}>
${this.#fields.get(name) ?? ''}</textarea>`,
        );
      case 'group':
        return this.#group(shape, name);
      case 'choice':
        return this.#choice(shape.of, name, setting, label);
    }
  }

  #choice(of: Extract<Shape, { is: 'choice' }>['of'], name: string, setting: Setting, label: string): Markup {
    const field = chosenIn(name);
    const chosen = this.#fields.get(field) ?? '';
    const offered = of.flatMap((one, at) => (one.isRare && chosen !== String(at) ? [] : [{ ...one, at }]));
    const [only] = offered;
    // a choice that is not needed is no choice
    if (offered.length === 1) {
      this.#drawn.add(field);
      return html`<input type="hidden" name="${CONTROL}${field}" value="${only!.at}" />
        ${this.#shapeOf(only!.shape, shapeAt(name, only!.at), setting, label)}`;
    }
    const usual = setting.input || setting.default === undefined ? 'no' : defaultText(setting.default);
    // a selection begins with more replications if the model has chance
    const isUnusual = name === 'replications' && wayOf(this.#fields) === 'select';
    return html`<div class="choice">
      ${this.#control(
        field,
        label,
        '',
        (attributes) =>
          html`<select name="${CONTROL}${field}" ${attributes}>
            <option value="">${isUnusual ? 'default' : usual}</option>
            ${offered.map(({ name: word, at }) => option(String(at), shapeWords[word] ?? word, chosen, at))}
          </select>`,
      )}
      ${offered.map(
        ({ shape, at }) =>
          html`<div class="shape fields" data-shape="${at}">
            ${this.#shapeOf(shape, shapeAt(name, at), setting, shape.is === 'value' ? 'Value' : 'Values')}
            ${setting.key === 'points' && shape.is === 'value' ? uploadFor(shapeAt(name, at)) : ''}
          </div>`,
      )}
    </div>`;
  }

  #list(of: ValueShape, name: string, setting: Setting, label: string, about: string): Markup {
    const text = this.#fields.get(name) ?? '';
    // an item without a text counts only if it is written as ""
    const items = listItems(text).filter((one) => one !== '' || text.includes('""'));
    const outputs = outputsFor(this.#shape, of);
    const known = of.type === 'boolean' ? ['true', 'false'] : (of.options ?? outputs);
    const boxed = items.filter((one) => known.includes(one));
    const others = items.filter((one) => !known.includes(one));
    // a browser sends the chosen boxes in their order
    const boxes = isOrdered(boxed, known) ? known : [...new Set([...boxed, ...known])];
    const areBoxesFirst = [...new Set(boxed), ...others].join('\0') === items.join('\0');
    // what a person types after the boxes stays as it is, such as a comma before the next one
    const before = boxed.map((one) => `${item(one)}, `).join('');
    const rest = text.startsWith(before) ? text.slice(before.length) : others.map(item).join(', ');
    // each value may have a weight, so boxes could move it to another value
    const weights = this.#fields.get(name.replace(/[^/]*$/, 'weights')) ?? '';
    if (known.length === 0 || known.length > MOST_BOXES || !areBoxesFirst || weights !== '') {
      return this.#control(name, label, about, (attributes) =>
        this.#value({ is: 'value', type: 'text' }, name, setting, attributes, '1, 2, 3'),
      );
    }
    return html`<fieldset class="wide">
      <legend>${label}${about && html` <small class="soft">${about}</small>`}</legend>
      <div class="boxes">
        ${boxes.map(
          (one) =>
            html`<label
              ><input
                type="checkbox"
                name="${CONTROL}${name}"
                value="${item(one)}"
                ${items.includes(one) ? html`checked` : ''}
              />
              ${one}</label
            >`,
        )}
      </div>
      ${
        outputs.length > 0 || others.length > 0
          ? this.#control(
              name,
              'Others, such as P(Peak > 300)',
              '',
              (attributes) =>
                html`<input
                  name="${CONTROL}${name}"
                  value="${others.length === 0 ? '' : rest}"
                  ${attributes}
                />`,
            )
          : this.#marked(name)
      }
    </fieldset>`;
  }

  /** One control without its label. */
  #value(
    { type, options, title }: ValueShape,
    name: string,
    setting: Setting,
    attributes: Markup,
    example = '',
  ): Markup {
    const text = this.#fields.get(name) ?? '';
    const named = setting.key === 'experiment' ? this.#experiments : options;
    const known = type === 'boolean' ? ['true', 'false'] : named;
    const none = setting.default === undefined ? '' : defaultText(setting.default);
    if (known) {
      const all = text === '' || known.includes(text) ? known : [...known, text];
      const word = (one: string): string =>
        type === 'boolean' && !setting.input ? (one === 'true' ? 'yes' : 'no') : one;
      return html`<select name="${CONTROL}${name}" ${attributes}>
        <option value="">${none === '' ? 'not set' : `${word(none)} (default)`}</option>
        ${all.map((one) => option(one, word(one), text))}
      </select>`;
    }
    return html`<input
      name="${CONTROL}${name}"
      value="${text}"
      placeholder="${example || none}"
      ${type === 'number' ? html`inputmode="decimal"` : ''}
      ${title === 'measure' ? html`list="outputs"` : ''}
      ${attributes}
    />`;
  }

  /** A control with its label, and the mistakes in it. */
  #control(name: string, label: string, about: string, control: (attributes: Markup) => Markup): Markup {
    const id = idOf(name);
    const mistakes = this.#mistakesOf(name);
    return html`<label
        >${label}${about && html` <small class="about soft">${about}</small>`}
        ${control(html`id="${id}" ${mistakes.length > 0 ? html`aria-invalid="true" aria-describedby="wrong-${id}"` : ''}`)}</label
      >${this.#marked(name, mistakes)}`;
  }

  /** The mistakes of a field, below its control. */
  #marked(name: string, mistakes = this.#mistakesOf(name)): Markup {
    return html`<small class="bad wrong" id="wrong-${idOf(name)}">${mistakes.map(wordsOf).join(' ')}</small>`;
  }

  /** Notes that a field has a control, and returns the mistakes in it. */
  #mistakesOf(name: string): ForayError[] {
    this.#drawn.add(name);
    const path = pathOfField(name);
    // a field inside the chosen shape has its own mistakes
    return this.#take(
      name,
      (setting) => isWithin(setting, path) && (!name.includes('?') || setting.length === path.length),
    );
  }

  /** The mistakes of a whole part, such as a missing setting. */
  #mistakesAt(name: string, path: readonly string[]): Markup {
    const found = this.#take(name, (setting) => setting.join('\0') === path.join('\0'));
    return html`<small class="bad wrong" id="${idOf(name)}" tabindex="-1"
      >${found.map(wordsOf).join(' ')}</small
    >`;
  }

  /** The mistakes that stand at a field, unless they already stand at another one. */
  #take(name: string, isHere: (setting: readonly string[]) => boolean): ForayError[] {
    // the shapes that are not chosen have fields for the same settings
    const isChosen = [...name.matchAll(/:(\d+)(?=[/?]|$)/g)].every(
      ({ 1: shape, index }) => this.#fields.get(chosenIn(name.slice(0, index))) === shape,
    );
    const found = this.#mistakes.filter((one) => {
      const setting = settingIn(one.place);
      return isChosen && setting.length > 0 && !this.#places.has(one) && isHere(setting);
    });
    for (const one of found) this.#places.set(one, idOf(name));
    return found;
  }
}
