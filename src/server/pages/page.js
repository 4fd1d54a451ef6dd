// @ts-check
/** Keeps a page up to date. */

/** @type {(selector: string) => any} */
const find = (selector) => document.querySelector(selector);
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
const parsed = (html) => localize(new DOMParser().parseFromString(html, 'text/html').body);
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

/** @type {any} */
const kept = find('[data-keep]');
const key = (/** @type {any} */ form) => 'draft ' + new URL(form.action).pathname;
/** @type {(form: any) => [string, any][]} */
const typedIn = (form) => [...new FormData(form)].filter(([, one]) => typeof one === 'string');

/** Keeps what a person has typed, until the server has taken it. @param {any} form */
function keep(form, sent = false) {
  const all = typedIn(form);
  // the browser may have no room for files
  for (const fields of [all, all.filter(([name]) => name !== 'content')])
    try {
      // an older draft must not come back
      sessionStorage.removeItem(key(form));
      return sessionStorage.setItem(key(form), JSON.stringify({ sent, at: location.href, fields }));
    } catch {
      // the files do not fit
    }
}

/** Says that the form has what a person typed earlier. @param {string} text */
function tellDraft(text) {
  const note = document.createElement('p');
  note.setAttribute('role', 'status');
  note.innerHTML = '<span></span> <button type="button" class="quiet">Discard it</button>';
  /** @type {any} */ (note.firstChild).textContent = text;
  /** @type {any} */ (note.lastChild).onclick = () => {
    sessionStorage.removeItem(key(kept));
    location.assign(location.pathname + location.search);
  };
  kept.before(note);
}

/** A fresh part of the form with the file controls of the old one: a person may be choosing a file. @param {any} part @param {any} old */
function withFileControls(part, old) {
  for (const one of part.querySelectorAll('[type=file]')) {
    const same = [...old.querySelectorAll('[type=file]')].find(({ name }) => name === one.name);
    if (!same) continue;
    // the server has the file that it had
    same.value = '';
    one.replaceWith(same);
  }
  return part;
}

/** Shows a fresh form from the server, but leaves the part in which a person types. @param {string} html */
function show(html) {
  const fresh = /** @type {any} */ (parsed(html).firstElementChild);
  const at = /** @type {any} */ (document.activeElement);
  // what a person has opened or closed stays so, unless a mistake is in it
  for (const one of fresh.querySelectorAll('details[id]')) {
    const was = /** @type {any} */ (document.getElementById(one.id));
    if (was && !one.querySelector('.wrong:not(:empty)')) one.open = was.open;
  }
  for (const part of [...fresh.children]) {
    const old = kept.children[[...fresh.children].indexOf(part)];
    const isUsed =
      old.contains(at) && at.matches('input:not([type=radio],[type=checkbox],[type=file]), textarea');
    if (!isUsed) old.replaceWith(withFileControls(/** @type {any} */ (part.cloneNode(true)), old));
    else
      for (const one of part.querySelectorAll('.wrong, [aria-describedby], [name=was]')) {
        const same = one.id ? document.getElementById(one.id) : old.querySelector('[name=was]');
        if (!same) continue;
        if (one.matches('.wrong')) same.textContent = one.textContent;
        else if (one.name === 'was') same.value = one.value;
        else same.setAttribute('aria-describedby', one.getAttribute('aria-describedby'));
      }
  }
  if (!at.isConnected && at.name)
    [...kept.elements]
      .find(
        (one) =>
          one.name === at.name && (!at.matches('[type=radio], [type=checkbox]') || one.value === at.value),
      )
      ?.focus({ preventScroll: true });
  tellTooLarge();
  for (const one of kept.querySelectorAll('input[id], select[id], textarea[id]')) {
    const wrong = document.getElementById('wrong-' + one.id);
    if (wrong?.textContent) one.setAttribute('aria-invalid', 'true');
    else one.removeAttribute('aria-invalid');
  }
}

/** What is wrong with the file of a control, by the control's name. @type {Map<string, string>} */
const tooLarge = new Map();

/** Refuses a file that the server would not take. @param {any} control */
function isTooLarge(control) {
  const { most } = control.dataset;
  if (!most) return false;
  const [file] = control.files;
  tooLarge.delete(control.name);
  if (file?.size > most) {
    tooLarge.set(
      control.name,
      `"${file.name}" is too large: the files of a form may have ${most / 1024 ** 2} MiB together. Use the command line.`,
    );
    control.value = '';
  }
  tellTooLarge();
  return tooLarge.has(control.name);
}

/** A fresh form from the server does not know the files that were refused here. */
function tellTooLarge() {
  for (const control of kept.querySelectorAll('[data-most]'))
    control.closest('label').nextElementSibling.textContent = tooLarge.get(control.name) ?? '';
}

/** Number of the last change. */
let typed = 0;
let isPlanning = false;
/** Asks the server for the form with fields and definition together, then for its plan. */
async function renew() {
  const mine = ++typed;
  const ask = async (/** @type {string} */ what) => {
    const body = new FormData(kept);
    body.set('do', what);
    const answer = await fetch(kept.dataset.form, { method: 'POST', body }).catch(() => null);
    if (mine !== typed) return false;
    const { detail = 'The server does not take the form now.' } = answer?.ok
      ? {}
      : ((await answer?.json().catch(() => null)) ?? {});
    say(answer?.ok ? '' : `${detail} What you typed is kept. Load the page again.`);
    if (answer?.ok) show(await answer.text());
    return answer?.ok;
  };
  if (!(await ask(''))) return;
  keep(kept);
  find('#plan').textContent = 'Planning …';
  if (isPlanning) return;
  isPlanning = true;
  await ask('plan');
  isPlanning = false;
  if (mine !== typed && find('#plan').textContent === 'Planning …') void renew();
}

// another person may have used this tab
const { user } = find('main').dataset;
if (sessionStorage.user !== user) sessionStorage.clear();
sessionStorage.user = user;
if (kept) {
  const current = kept.elements.etag?.value;
  const draft = JSON.parse(sessionStorage.getItem(key(kept)) ?? 'null');
  // the server has not taken the form that it shows again; what was typed after it is newer
  if (kept.dataset.posted !== undefined && draft?.sent !== false) keep(kept);
  // a page with a query is a new beginning, unless it is the page where the draft began
  else if (draft && (!location.search || draft.at === location.href)) {
    if (kept.dataset.form) {
      const body = new FormData();
      for (const [name, text] of draft.fields) body.append(name, text);
      void fetch(kept.dataset.form, { method: 'POST', body }).then(async (answer) => {
        if (answer.ok) show(await answer.text());
      });
    } else for (const [name, text] of draft.fields) if (kept.elements[name]) kept.elements[name].value = text;
    // with the former tag, the server shows what somebody else has changed, and applies nothing
    const [, tag] = draft.fields.find((/** @type {any} */ [name]) => name === 'etag') ?? [];
    const isOvertaken = tag !== undefined && tag !== current;
    tellDraft(
      `This is what you typed earlier.${isOvertaken ? ' Somebody has changed the definition since.' : ''}`,
    );
  }
  /** @type {any} */
  let soon;
  for (const kind of ['input', 'change'])
    kept.addEventListener(kind, (/** @type {any} */ { target }) => {
      if (target.type === 'file' && (kind === 'input' || isTooLarge(target))) return;
      keep(kept);
      // an answer to what the form was before would replace this change
      typed += 1;
      clearTimeout(soon);
      // the answer fills in fields for a file, also where a person typed before
      if (target.type === 'file') target.focus();
      const isChoice = target.matches('[type=radio], [type=file], select');
      if (isChoice && kind === 'input') return;
      if (kept.dataset.form) soon = setTimeout(renew, isChoice ? 0 : 400);
    });
  // the page of a difference has another form, which applies the text
  document.addEventListener('submit', ({ target }) => {
    if (/** @type {any} */ (target).action !== kept.action) return;
    // an answer that is under way would make it a draft again
    typed += 1;
    clearTimeout(soon);
    keep(kept, true);
  });
}
// the server has taken the form, so its draft is not needed
if (location.hash === '#taken') {
  history.replaceState(null, '', location.pathname + location.search);
  for (const [name, text] of Object.entries(sessionStorage))
    if (name.startsWith('draft ') && JSON.parse(text).sent) sessionStorage.removeItem(name);
}
document.addEventListener('submit', ({ target }) => {
  if (/** @type {any} */ (target).action.endsWith('/logout')) sessionStorage.clear();
});

/** Mistakes link to their lines. */
document.addEventListener('click', (event) => {
  const link = /** @type {any} */ (event.target).closest('a[href^="#line-"]');
  const area = find('[data-lines]');
  if (!link || !area) return;
  event.preventDefault();
  area.closest('details')?.setAttribute('open', '');
  const at = link.hash.slice(6) - 1;
  const lines = area.value.split('\n');
  const from = lines.slice(0, at).join('\n').length + (at && 1);
  area.focus();
  area.setSelectionRange(from, from + lines[at].length);
});
