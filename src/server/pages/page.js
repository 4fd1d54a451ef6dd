// @ts-check
/** Keeps a page up to date. */

/** @type {(selector: string) => any} */
export const find = (selector) => document.querySelector(selector);
/** A time such as "2026-01-31 08:30 CET". */
const local = new Intl.DateTimeFormat('sv-SE', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
/** Shows times in the time zone of the browser, whose name each of them has. @param {any} root */
function localize(root) {
  for (const one of root.querySelectorAll('time')) {
    one.title = one.dateTime;
    one.textContent = local.format(new Date(one.dateTime));
  }
  return root;
}
localize(document);
/** @type {(html: string) => HTMLElement} */
export const parsed = (html) => localize(new DOMParser().parseFromString(html, 'text/html').body);
const { live, have = '', next: at } = find('main').dataset;
/** Hashes of the parts that the page shows, by id. @type {Map<string, string>} */
const shown = new Map(have.split(',').map((/** @type {any} */ one) => one.split('=')));
let etag = '';
/** The time until the next look, ms; 0 for none. */
let wait = Number(at);
const phaseOf = () => find('#status .phase')?.textContent;
let phase = phaseOf();
/** When the server stopped answering; empty while it answers. */
let lostAt = '';

/** Tells a person something at the top of the page. @param {string} text */
export function say(text) {
  const news = find('#news');
  if (news.textContent !== text) news.textContent = text;
}

/** What tells a control apart from the others of its part. @param {any} one */
const nameOf = (one) =>
  one.id || one.dataset.file || one.querySelector('summary')?.textContent || one.outerHTML;

/**
 * Replaces an element, unless it is in use, and says whether it is replaced. Controls keep their state.
 * @param {Element} old @param {Element} fresh
 */
function exchange(old, fresh) {
  if (old.isEqualNode(fresh)) return true;
  if (old.querySelector(':active, input:focus:not([type=checkbox])')) return false;
  const controls = 'a:not(svg a), button, input, details, figure, .scroll';
  /** @type {Map<string, any>} */
  const known = new Map([...old.querySelectorAll(controls)].map((one) => [nameOf(one), one]));
  old.before(fresh);
  for (const one of /** @type {any} */ (fresh.querySelectorAll(controls))) {
    const was = known.get(nameOf(one));
    if (!was) continue;
    for (const state of ['checked', 'open', 'scrollLeft']) one[state] = was[state];
    if (was.matches('input') && was.value !== was.defaultValue) one.value = was.value;
    if (was === document.activeElement) one.focus({ preventScroll: true });
  }
  old.remove();
  return true;
}

/** Lets the browser draw, and answer the mouse and the keyboard. */
const breath = () => new Promise((go) => setTimeout(go));

/** Replaces a part, and says whether all of it was replaced. @param {{id: string, hash: string, html?: string}} part */
async function replace({ id, hash, html }) {
  const element = document.getElementById(id);
  if (!element || html === undefined) return true;
  const { children } = parsed(html);
  // a part is the element, or its content
  const isWhole = children[0]?.id === id;
  if (!isWhole) for (const one of [...element.children]) if (!children.namedItem(one.id)) one.remove();
  let isDone = true;
  for (const [at, fresh] of [...children].entries()) {
    const old = isWhole ? element : element.children[at];
    if (old?.id === fresh.id) isDone = exchange(old, fresh) && isDone;
    else element.insertBefore(fresh, old ?? null);
    await breath();
  }
  if (isDone) shown.set(id, hash);
  return isDone;
}

/** Asks for the parts that have changed, and shows them. */
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
        let isDone = true;
        for (const part of told.parts) isDone = (await replace(part)) && isDone;
        etag = isDone ? (answer.headers.get('etag') ?? '') : '';
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

/** This page, at whichever place of it. */
export const here = location.pathname + location.search;
// another person may have used this tab
const { user } = find('main').dataset;
if (sessionStorage.user !== user) sessionStorage.clear();
sessionStorage.user = user;
// the server has taken the form, so its draft is not needed
if (location.hash === '#taken') {
  history.replaceState(null, '', here);
  for (const [name, text] of Object.entries(sessionStorage))
    if (name.startsWith('draft ') && JSON.parse(text).sent) sessionStorage.removeItem(name);
}
document.addEventListener('submit', ({ target }) => {
  if (/** @type {any} */ (target).action.endsWith('/logout')) sessionStorage.clear();
});
