// @ts-check
/** Keeps a page up to date. */

/** @type {(selector: string) => any} */
const find = (selector) => document.querySelector(selector);
/** @type {(html: string) => HTMLElement} */
const parsed = (html) => new DOMParser().parseFromString(html, 'text/html').body;
const { live, have = '', next: at } = find('main').dataset;
/** Hashes of parts, by id. @type {Map<string, string>} */
const shown = new Map(have.split(',').map((/** @type {any} */ one) => one.split('=')));
let etag = '';
let wait = +at;
const phaseOf = () => find('#status .phase')?.textContent;
let phase = phaseOf();
let lostAt = '';

/** @param {string} text */
function say(text) {
  const news = find('#news');
  if (news.textContent !== text) news.textContent = text;
}

/** @param {any} one */
const nameOf = (one) =>
  one.id || one.dataset.file || one.querySelector('summary')?.textContent || one.outerHTML;

/**
 * Replaces an element, unless it is in use. Controls keep their state.
 * @param {Element} old @param {Element} fresh
 */
function exchange(old, fresh) {
  if (old.outerHTML === fresh.outerHTML) return true;
  if (old.querySelector(':active, input:focus:not([type=checkbox])')) return false;
  const controls = 'a:not(svg a), button, input, details, figure, .scroll';
  /** @type {Map<string, any>} */
  const known = new Map([...old.querySelectorAll(controls)].map((one) => [nameOf(one), one]));
  old.before(fresh);
  for (const one of /** @type {any} */ (fresh.querySelectorAll(controls))) {
    const was = known.get(nameOf(one));
    if (!was) continue;
    for (const state of ['checked', 'open', 'scrollLeft']) one[state] = was[state];
    if (was === document.activeElement) one.focus({ preventScroll: true });
  }
  old.remove();
  return true;
}

/** @param {{id: string, hash: string, html?: string}} part */
function replace({ id, hash, html }) {
  const element = document.getElementById(id);
  if (!element || html === undefined) return true;
  const { children } = parsed(html);
  // a part is the element, or its content
  const isWhole = children[0]?.id === id;
  if (!isWhole) for (const one of [...element.children]) if (!children.namedItem(one.id)) one.remove();
  let isDone = true;
  [...children].forEach((fresh, at) => {
    const old = isWhole ? element : element.children[at];
    if (old?.id === fresh.id) isDone = exchange(old, fresh) && isDone;
    else element.insertBefore(fresh, old ?? null);
  });
  if (isDone) shown.set(id, hash);
  return isDone;
}

async function look() {
  let next = 5_000;
  if (!document.hidden) {
    try {
      const known = `${live.includes('?') ? '&' : '?'}have=${[...shown.values()]}`;
      const answer = await fetch(live + known, { headers: { 'if-none-match': etag } });
      if (answer.status === 401) return say('You are logged out. Load the page again.');
      if (answer.status === 404) return say('This was deleted.');
      if (answer.status !== 304) {
        if (!answer.ok) throw await answer.json();
        const told = await answer.json();
        // the next look gets the rest
        etag = told.parts.map(replace).every(Boolean) ? (answer.headers.get('etag') ?? '') : '';
        wait = told.next;
      }
      next = wait;
      const now = phaseOf();
      if (lostAt || now !== phase) say(now === phase ? '' : `The campaign is ${now}.`);
      phase = now;
      lostAt = '';
    } catch (/** @type {any} */ problem) {
      lostAt ||= new Date().toLocaleTimeString();
      say(problem.detail ?? `The server has not answered since ${lostAt}. Its last state is shown.`);
    }
  }
  if (next > 0) setTimeout(look, next);
}
if (wait > 0) setTimeout(look, wait);

/** Number of the last change. */
let typed = 0;
document.addEventListener('input', ({ target }) => {
  const form = /** @type {any} */ (target).closest('[data-plan]');
  if (!form) return;
  const { plan, into } = form.dataset;
  const [old, text] = [into, into + ' textarea'].map(find);
  if (text?.value !== text?.defaultValue) return;
  const mine = ++typed;
  // nobody can start the old definition
  old.inert = true;
  setTimeout(async () => {
    if (mine !== typed) return;
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const answer = await fetch(plan, { method: 'POST', body }).catch(() => null);
    if (mine !== typed) return;
    say(answer?.ok ? '' : 'No plan. Load the page again.');
    if (!answer?.ok) return;
    old.replaceChildren(...parsed(await answer.text()).childNodes);
    old.inert = false;
  }, 400);
});

/** Mistakes link to their lines. */
document.addEventListener('click', (event) => {
  const link = /** @type {any} */ (event.target).closest('a[href^="#line-"]');
  const area = find('[data-lines]');
  if (!link || !area) return;
  event.preventDefault();
  const at = link.hash.slice(6) - 1;
  const lines = area.value.split('\n');
  const from = lines.slice(0, at).join('\n').length + (at && 1);
  area.focus();
  area.setSelectionRange(from, from + lines[at].length);
});
