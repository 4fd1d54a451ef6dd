// @ts-check
/**
 * Makes pictures answer: the values of the nearest mark appear beside the pointer, arrow keys go from mark to mark, Enter
 * or a click opens the point behind a mark, and buttons save the picture and its numbers. On a page with filters, a drag
 * over an axis of an input filters by it. Pages load this file, and a report contains it. Pictures need no script.
 */
(() => {
  /** How far from a mark a click still opens its point, in pixels. */
  const REACH = 20;
  /** So near, a dot comes before the cell or the bar under it, in pixels. */
  const BEFORE = 10;
  /** A drag is at least this long, in pixels. */
  const LEAST_DRAG = 8;
  /** The pointer is in a panel up to this distance from its edge, in units of the picture. */
  const EDGE = 8;
  /** For an arrow key, a distance to the side counts this many times as much as the same distance ahead. */
  const STRAIGHT = 4;

  /** @typedef {{x: number, y: number, w: number, h: number, row: number, panel: any}} Mark */
  /** @typedef {{columns: any[], points?: string[], panels: any[], marks: Mark[]}} Numbers */

  /** @type {(name: string) => HTMLElement} */
  const added = (name) => {
    const one = document.createElement('div');
    one.className = name;
    one.hidden = true;
    document.querySelector('main')?.append(one);
    return one;
  };
  const [ring, brush, tip] = ['ring', 'brush', 'tip'].map(added);
  tip.setAttribute('role', 'status');

  /** @type {WeakMap<Element, Numbers>} */
  const readNumbers = new WeakMap();
  /** The last mark of each picture, so that a picture that is drawn again goes on there. @type {Map<string, number>} */
  const lastMarks = new Map();
  /** @type {{panel: any, from: number[], to: number[], figure: any} | undefined} */
  let drag;
  /** Whether the pointer has moved far enough for a drag since it was pressed. */
  let isDragged = false;

  /** The numbers of a picture, as `numbersJson` has written them. @param {any} figure @returns {Numbers} */
  function numbersOf(figure) {
    const known = readNumbers.get(figure);
    if (known) return known;
    const numbers = JSON.parse(figure.querySelector('script').textContent);
    numbers.marks = numbers.panels.flatMap((/** @type {any} */ panel) =>
      Array.from({ length: panel.places.length / 2 }, (_, at) => {
        const { places, rows, sizes } = panel;
        // one size stands for all marks, and the first row for rows in order
        const size = sizes.length > 2 ? 2 * at : 0;
        const row = Array.isArray(rows) ? rows[at] : rows + at;
        return { x: places[2 * at], y: places[2 * at + 1], w: sizes[size], h: sizes[size + 1], row, panel };
      }),
    );
    readNumbers.set(figure, numbers);
    return numbers;
  }

  /** The picture's frame on the screen, and pixels per unit of the picture. @param {any} figure */
  function frameOf(figure) {
    const svg = figure.querySelector('svg');
    const { left, top, width } = svg.getBoundingClientRect();
    return { left, top, scale: width / svg.viewBox.baseVal.width };
  }

  /** The place of the pointer in units of the picture. @param {any} figure @param {any} event */
  function placeOf(figure, { clientX, clientY }) {
    const { left, top, scale } = frameOf(figure);
    return [(clientX - left) / scale, (clientY - top) / scale];
  }

  /** @param {Mark} mark @param {number[]} place */
  const distance = ({ x, y, w, h }, [px, py]) =>
    Math.hypot(Math.max(0, Math.abs(px - x) - w / 2), Math.max(0, Math.abs(py - y) - h / 2));

  /** @param {any} panel @param {number[]} place */
  const isIn = ({ box: [x, y, w, h] }, [px, py]) =>
    px >= x - EDGE && px <= x + w + EDGE && py >= y - EDGE && py <= y + h + EDGE;

  /** The index of the nearest mark in the panel under a place; -1 outside of all panels. @param {any} figure @param {number[]} place */
  function nearest(figure, place) {
    const before = BEFORE / frameOf(figure).scale;
    let [found, least] = [-1, Infinity];
    numbersOf(figure).marks.forEach((mark, at) => {
      if (!isIn(mark.panel, place)) return;
      // a dot has no size, and a cell under it would hide it, because the pointer is in the cell
      const far = distance(mark, place) + (mark.w || mark.h ? before : 0);
      if (far < least) [found, least] = [at, far];
    });
    return found;
  }

  /** @param {any} element @param {number} x @param {number} y @param {number} w @param {number} h */
  function put(element, x, y, w, h) {
    const parent = element.offsetParent.getBoundingClientRect();
    Object.assign(element.style, {
      left: `${x - parent.left}px`,
      top: `${y - parent.top}px`,
      width: `${w}px`,
      height: `${h}px`,
    });
  }

  /** @param {any} figure @param {number} at @param {boolean} [isKey] */
  function show(figure, at, isKey = false) {
    const { marks, columns, points } = numbersOf(figure);
    const mark = marks[at];
    if (!mark) return hide();
    lastMarks.set(figure.dataset.file, at);
    const key = points?.[mark.row];
    const lines = columns.flatMap(({ title, values, texts }) => {
      const text = texts ? texts[mark.row] : values[mark.row];
      return text === null || text === '' ? [] : [`${title}: ${text}`];
    });
    if (key) lines.push(`Point: ${key}`);
    if (isKey)
      lines.push(`${at + 1} of ${marks.length}${hrefOf(figure, at) ? '. Enter opens the point' : ''}`);
    tip.textContent = lines.join('\n');
    tip.hidden = ring.hidden = false;
    if (isKey) {
      const { left, scale } = frameOf(figure);
      // a wide picture scrolls in its frame
      const { left: from, width } = figure.getBoundingClientRect();
      const x = left + mark.x * scale - from;
      if (x < 0 || x > width) figure.scrollLeft += x - width / 2;
    }
    const { left, top, scale } = frameOf(figure);
    const [w, h] = [mark.w, mark.h].map((size) => Math.max(size * scale, 14));
    const [x, y] = [left + mark.x * scale, top + mark.y * scale];
    ring.style.borderRadius = mark.w ? '0' : '50%';
    put(ring, x - w / 2, y - h / 2, w, h);
    const { offsetWidth: wide, offsetHeight: high } = tip;
    const right = x + w / 2 + 12;
    const isRight = right + wide < document.documentElement.clientWidth;
    tip.style.left = tip.style.top = '0';
    const parent = /** @type {any} */ (tip.offsetParent).getBoundingClientRect();
    tip.style.left = `${Math.max(4, isRight ? right : x - w / 2 - 12 - wide) - parent.left}px`;
    tip.style.top = `${Math.max(4, Math.min(y - high / 2, innerHeight - high - 4)) - parent.top}px`;
  }

  function hide() {
    tip.hidden = ring.hidden = true;
  }

  /** @param {any} figure @param {number} at */
  function hrefOf(figure, at) {
    const { marks, points } = numbersOf(figure);
    const key = points?.[marks[at]?.row];
    return key && figure.dataset.points && figure.dataset.points + key + figure.dataset.view;
  }

  /** The next mark in a direction: near, and rather straight ahead. @param {any} figure @param {number} at @param {number[]} way */
  function next(figure, at, [dx, dy]) {
    const { marks } = numbersOf(figure);
    const from = marks[at];
    let [found, least] = [at, Infinity];
    marks.forEach(({ x, y }, to) => {
      const along = (x - from.x) * dx + (y - from.y) * dy;
      const across = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
      const far = along + STRAIGHT * across;
      if (along > 0.5 && far < least) [found, least] = [to, far];
    });
    return found;
  }

  /** @type {(event: any) => any} */
  const figureOf = ({ target }) => target.closest?.('figure[data-file]');

  document.addEventListener('pointermove', (event) => {
    if (drag) return dragTo(event);
    const figure = figureOf(event);
    if (!figure) {
      if (!document.activeElement?.matches('figure:focus-visible')) hide();
      return;
    }
    const at = nearest(figure, placeOf(figure, event));
    show(figure, at);
    figure.style.cursor = isNear(figure, at, event) && hrefOf(figure, at) ? 'pointer' : '';
  });

  /** @param {any} figure @param {number} at @param {any} event */
  function isNear(figure, at, event) {
    const mark = numbersOf(figure).marks[at];
    return mark && distance(mark, placeOf(figure, event)) * frameOf(figure).scale <= REACH;
  }

  document.addEventListener('click', (event) => {
    const { save: format } = /** @type {any} */ (event.target).dataset ?? {};
    if (format)
      return save(/** @type {any} */ (event.target).closest('section').querySelector('figure'), format);
    const figure = figureOf(event);
    if (!figure) return;
    const at = nearest(figure, placeOf(figure, event));
    show(figure, at);
    if (!isDragged && isNear(figure, at, event)) open(hrefOf(figure, at), event);
  });

  /** @param {string | undefined} href @param {any} event */
  function open(href, { ctrlKey, metaKey }) {
    if (!href) return;
    if (ctrlKey || metaKey) window.open(href);
    else location.assign(href);
  }

  document.addEventListener('keydown', (event) => {
    const figure = figureOf(event);
    if (!figure || figure !== event.target || event.altKey) return;
    const { marks } = numbersOf(figure);
    const at = Math.min(lastMarks.get(figure.dataset.file) ?? 0, marks.length - 1);
    const { key } = event;
    if (key === 'Escape') return hide();
    if (key === 'Enter') return open(hrefOf(figure, at), event);
    /** @type {Record<string, () => number>} */
    const to = {
      ArrowLeft: () => next(figure, at, [-1, 0]),
      ArrowRight: () => next(figure, at, [1, 0]),
      ArrowUp: () => next(figure, at, [0, -1]),
      ArrowDown: () => next(figure, at, [0, 1]),
      PageUp: () => Math.max(0, at - 1),
      PageDown: () => Math.min(marks.length - 1, at + 1),
      Home: () => 0,
      End: () => marks.length - 1,
    };
    if (!to[key] || marks.length === 0) return;
    event.preventDefault();
    show(figure, tip.hidden && key.startsWith('Arrow') ? at : to[key](), true);
  });

  document.addEventListener('focusin', (event) => {
    const figure = figureOf(event);
    if (figure === event.target && figure?.matches(':focus-visible'))
      show(figure, lastMarks.get(figure.dataset.file) ?? 0, true);
  });
  document.addEventListener('focusout', hide);

  document.addEventListener('pointerdown', (event) => {
    isDragged = false;
    const figure = figureOf(event);
    if (!figure?.dataset.points || event.pointerType !== 'mouse' || event.button !== 0) return;
    const from = placeOf(figure, event);
    const panel = numbersOf(figure).panels.find(
      (/** @type {any} */ one) => isIn(one, from) && (one.x >= 0 || one.y >= 0),
    );
    if (!panel) return;
    // otherwise the drag would select text
    event.preventDefault();
    figure.focus({ preventScroll: true });
    drag = { panel, from, to: from, figure };
  });

  /** @param {any} event */
  function dragTo(event) {
    const { panel, from, figure } = /** @type {NonNullable<typeof drag>} */ (drag);
    const to = placeOf(figure, event);
    const { left, top, scale } = frameOf(figure);
    if (!isDragged && Math.hypot(to[0] - from[0], to[1] - from[1]) * scale < LEAST_DRAG) return;
    isDragged = true;
    hide();
    const [x, y] = rangesOf(panel, from, to);
    drag = { panel, from, to, figure };
    brush.hidden = false;
    put(brush, left + x[0] * scale, top + y[0] * scale, (x[1] - x[0]) * scale, (y[1] - y[0]) * scale);
  }

  /** The chosen ranges, in units of the picture. An axis without an input is chosen as a whole. @param {any} panel @param {number[]} from @param {number[]} to */
  function rangesOf({ box: [x, y, w, h], ...panel }, from, to) {
    const range = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) =>
      [from[at], to[at]].sort((a, b) => a - b).map((place) => Math.min(high, Math.max(low, place)));
    return [panel.x >= 0 ? range(0, x, x + w) : [x, x + w], panel.y >= 0 ? range(1, y, y + h) : [y, y + h]];
  }

  // the browser takes the pointer away, for example for a gesture of the system
  document.addEventListener('pointercancel', endDrag);

  /** Ends the drag, and returns it. */
  function endDrag() {
    const ended = drag;
    drag = undefined;
    brush.hidden = true;
    return ended;
  }

  document.addEventListener('pointerup', () => {
    const ended = endDrag();
    if (!ended || !isDragged) return;
    const { panel, from, to, figure } = ended;
    const [across, up] = rangesOf(panel, from, to);
    const { marks, columns } = numbersOf(figure);
    const inside = marks.filter(
      (mark) =>
        mark.panel === panel &&
        (panel.x < 0 || (mark.x >= across[0] && mark.x <= across[1])) &&
        (panel.y < 0 || (mark.y >= up[0] && mark.y <= up[1])),
    );
    if (inside.length === 0) return;
    const address = new URL(location.href);
    for (const column of [panel.x, panel.y]) {
      if (column < 0) continue;
      const { input, values, ranges } = columns[column];
      // a mark of neighbouring values that are grouped stands for all of them
      const chosen = inside
        .flatMap(({ row }) => ranges?.[row] ?? values[row])
        .filter((/** @type {any} */ value) => value !== null);
      address.searchParams.set(`in:${input}`, rangeText(chosen));
    }
    location.assign(address);
  });

  /** The filter for some values: "8..14", or a list of texts. @param {any[]} values */
  function rangeText(values) {
    if (typeof values[0] !== 'number')
      return [...new Set(values)].map((text) => `"${text.replaceAll('"', '""')}"`).join(', ');
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return `${low}..${high}`;
  }

  /** Saves the picture or its numbers. @param {any} figure @param {'SVG' | 'PNG' | 'CSV'} format */
  async function save(figure, format) {
    const name = `${figure.dataset.file}.${format.toLowerCase()}`;
    if (format === 'CSV') return download(name, new Blob([csvOf(numbersOf(figure))], { type: 'text/csv' }));
    const copy = figure.querySelector('svg').cloneNode(true);
    const { width, height } = copy.viewBox.baseVal;
    const whole = { xmlns: 'http://www.w3.org/2000/svg', width, height };
    for (const [attribute, value] of Object.entries(whole)) copy.setAttribute(attribute, value);
    // the page that gives the colour of texts is missing; the policy of the page allows a style only in the text
    const text = new XMLSerializer()
      .serializeToString(copy)
      .replace('<svg ', '<svg style="color: #1c2026; background: #ffffff" ');
    if (format === 'SVG') return download(name, new Blob([text], { type: 'image/svg+xml' }));
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 2 * width, height: 2 * height });
    canvas.getContext('2d')?.drawImage(image, 0, 0, 2 * width, 2 * height);
    canvas.toBlob((blob) => download(name, /** @type {Blob} */ (blob)));
  }

  /** @param {Numbers} numbers */
  function csvOf({ columns, points }) {
    const all = points ? [...columns, { title: 'Point', values: points }] : columns;
    const cell = (/** @type {any} */ value) => {
      const text = String(value ?? '');
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const rows = all[0].values.map((/** @type {any} */ _, /** @type {number} */ at) =>
      all.map(({ values }) => values[at]),
    );
    return [all.map(({ title }) => title), ...rows].map((row) => `${row.map(cell)}\r\n`).join('');
  }

  /** @param {string} name @param {Blob} blob */
  function download(name, blob) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  document.documentElement.classList.add('scripted');
})();
