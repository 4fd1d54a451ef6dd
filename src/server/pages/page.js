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
    if (was.matches('input') && was.value !== was.defaultValue) one.value = was.value;
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
/** This page, at whichever place of it. */
const here = location.pathname + location.search;
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
      return sessionStorage.setItem(key(form), JSON.stringify({ sent, at: here, fields }));
    } catch {
      // the files do not fit
    }
}

/** Says something about what a person typed earlier, with a button. @param {string} text @param {string} button @param {() => void} act */
function tellDraft(text, button = 'Discard it', act = discard) {
  const note = document.createElement('p');
  note.setAttribute('role', 'status');
  note.innerHTML = '<span></span> <button type="button" class="quiet"></button>';
  const [said, pressed] = /** @type {any} */ (note.children);
  said.textContent = text;
  pressed.textContent = button;
  pressed.onclick = act;
  kept.before(note);
}

function discard() {
  sessionStorage.removeItem(key(kept));
  location.assign(here);
}

/** Whether an element of the form stays when the form is fresh. @param {any} old @param {any} fresh */
function isSame(old, fresh) {
  if (old.nodeName !== fresh.nodeName) return false;
  if (old.nodeType !== Node.ELEMENT_NODE) return true;
  // the values tell the boxes of a list apart
  const isOne = old.matches('[type=radio], [type=checkbox], button');
  const names = ['id', 'name', 'type', ...(isOne ? ['value'] : [])];
  return names.every((name) => old.getAttribute(name) === fresh.getAttribute(name));
}

/**
 * Gives an element the content and the state of a fresh one. What stays is not replaced: a person may be in it, have it
 * open, or press it.
 * @param {any} old @param {any} fresh
 */
function become(old, fresh) {
  // in a page with scripts, it is only a text
  if (old.matches('noscript')) return;
  const { value, checked } = fresh;
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const one of fresh.attributes)
    if (old.getAttribute(one.name) !== one.value) old.setAttribute(one.name, one.value);
  let at = old.firstChild;
  const dropTo = (/** @type {any} */ end) => {
    while (at !== end) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  };
  for (const one of [...fresh.childNodes]) {
    let same = at;
    const isText = one.nodeType !== Node.ELEMENT_NODE;
    while (same && !isSame(same, one)) same = isText ? null : same.nextSibling;
    if (!same) {
      old.insertBefore(one, at);
      continue;
    }
    dropTo(same);
    at = same.nextSibling;
    if (!isText) become(same, one);
    else if (same.data !== one.data) same.data = one.data;
  }
  dropTo(null);
  if (!old.matches('input, select, textarea')) return;
  old.checked = checked;
  if (old.value === value) return;
  const { selectionStart, selectionEnd } = old;
  // the server has the file of a file control
  old.value = value;
  if (old === document.activeElement && selectionStart !== undefined && selectionStart !== null)
    old.setSelectionRange(selectionStart, selectionEnd);
}

/** Shows a fresh form from the server, which answers to all that a person has typed. @param {string} html */
function show(html) {
  const fresh = /** @type {any} */ (parsed(html).firstElementChild);
  const at = /** @type {any} */ (document.activeElement);
  // what a person has opened or closed stays so, unless a mistake is in it
  for (const one of fresh.querySelectorAll('details[id]')) {
    const was = /** @type {any} */ (document.getElementById(one.id));
    if (was && !one.querySelector('.wrong:not(:empty)')) one.open = was.open;
  }
  become(kept, fresh);
  if (!at.isConnected && at.name)
    [...kept.elements].find((one) => isSame(one, at))?.focus({ preventScroll: true });
  tellTooLarge();
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

/** The fresh form for what was typed, or why there is none. @param {FormData} body */
async function freshForm(body) {
  const answer = await fetch(kept.dataset.form, { method: 'POST', body }).catch(() => null);
  // an answer may break off
  const text = (await answer?.text().catch(() => null)) ?? '';
  if (answer?.ok && text !== '') return { html: text };
  let why = 'The server does not take the form now.';
  try {
    why = JSON.parse(text).detail ?? why;
  } catch {
    // a proxy has answered, or nobody
  }
  return { why };
}

/** Number of the last change. */
let typed = 0;
let isPlanning = false;
const PLANNING = 'Planning …';
/** Asks the server for the form with fields and definition together, then for its plan. */
async function renew() {
  const mine = ++typed;
  const ask = async (/** @type {string} */ what) => {
    const body = new FormData(kept);
    body.set('do', what);
    const { html, why } = await freshForm(body);
    if (mine !== typed) return false;
    say(why === undefined ? '' : `${why} What you typed is kept. Load the page again.`);
    if (html) show(html);
    return html !== undefined;
  };
  if (!(await ask(''))) return;
  keep(kept);
  find('#plan').textContent = PLANNING;
  if (isPlanning) return;
  isPlanning = true;
  await ask('plan');
  isPlanning = false;
  if (find('#plan').textContent !== PLANNING) return;
  if (mine === typed) find('#plan').textContent = '';
  else void renew();
}

/** Shows an earlier form. Until then, nothing can be typed, because the answer would replace it. @param {[string, any][]} fields */
async function restore(fields) {
  const body = new FormData();
  for (const [name, text] of fields) body.append(name, text);
  kept.inert = true;
  const { html, why } = await freshForm(body);
  if (!html) return tellDraft(`${why} What you typed earlier is kept. Load the page again.`);
  show(html);
  kept.inert = false;
  tellDraft('This is what you typed earlier.');
}

/** The difference that the page shows can be applied only as long as it is the difference. */
function checkDifference() {
  const apply = find('.difference form');
  if (!apply) return;
  const isOther = apply.elements.definition.value !== kept.elements.definition.value;
  apply.querySelector('button').disabled = isOther;
  say(isOther ? 'You have changed the definition. Show the difference again, then apply it.' : '');
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
  else if (draft && (!location.search || draft.at === here)) {
    if (kept.dataset.form) void restore(draft.fields);
    else {
      for (const [name, text] of draft.fields) if (kept.elements[name]) kept.elements[name].value = text;
      checkDifference();
      // with the former tag, the server shows what somebody else has changed, and applies nothing
      const [, tag] = draft.fields.find((/** @type {any} */ [name]) => name === 'etag') ?? [];
      const isOvertaken = tag !== undefined && tag !== current;
      tellDraft(
        `This is what you typed earlier.${isOvertaken ? ' Somebody has changed the definition since.' : ''}`,
      );
    }
  } else if (draft && !draft.sent)
    tellDraft('You began another form earlier. What you type here replaces it.', 'Continue it', () =>
      location.assign(draft.at),
    );
  // after a step back, the browser fills in the text that it knows, and the fields are those of a new form
  addEventListener('pageshow', () => {
    const { value, defaultValue } = kept.elements.definition ?? {};
    if (kept.dataset.form && !kept.inert && value !== defaultValue) void renew();
  });
  /** @type {any} */
  let soon;
  for (const kind of ['input', 'change'])
    kept.addEventListener(kind, (/** @type {any} */ { target }) => {
      if (target.type === 'file' && (kind === 'input' || isTooLarge(target))) return;
      keep(kept);
      checkDifference();
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
  history.replaceState(null, '', here);
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
