// @ts-check
/** Keeps what a person types into the form of a page, and its fields and its definition together. */
import { find, here, parsed, say } from './page.js';

/** The form whose content is kept. @type {any} */
const kept = find('[data-keep]');
const draftName = 'draft ' + new URL(kept.action).pathname;

/** Keeps what a person has typed, until the server has taken it: with the files if the browser has room for them. */
function keep(sent = false) {
  const all = [...new FormData(kept)].filter(([, one]) => typeof one === 'string');
  const withoutFiles = all.filter(([name]) => name !== 'content');
  // an older draft must not come back if there is room for none
  sessionStorage.removeItem(draftName);
  for (const fields of [all, withoutFiles])
    try {
      return sessionStorage.setItem(draftName, JSON.stringify({ sent, at: here, fields }));
    } catch {
      // no room: the next try is smaller
    }
}

/**
 * Says something about what a person typed earlier, with a button.
 * @param {string} text @param {string} button @param {() => void} act
 */
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
  sessionStorage.removeItem(draftName);
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
  // each fresh node goes into the next old node that is the same, and the old nodes before that one are dropped
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
  // this empties a file control: the server has its file
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

/** Whether a control has a file that the server would not take. Such a file is removed. @param {any} control */
function refusesFile(control) {
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

/** Shows which files were refused. A fresh form from the server does not know it. */
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

/** The number of changes and of fresh forms that were asked for. An answer to an earlier form is not shown. */
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
  keep();
  find('#plan').textContent = PLANNING;
  if (isPlanning) return;
  isPlanning = true;
  await ask('plan');
  isPlanning = false;
  if (find('#plan').textContent !== PLANNING) return;
  if (mine === typed) find('#plan').textContent = '';
  else void renew();
}

/**
 * Shows an earlier form. Until then, nothing can be typed, because the answer would replace it.
 * @param {[string, any][]} fields
 */
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

/** Lets the difference on the page be applied only while the definition is the one that it was made of. */
function checkDifference() {
  const apply = find('.difference form');
  if (!apply) return;
  const isOther = apply.elements.definition.value !== kept.elements.definition.value;
  apply.querySelector('button').disabled = isOther;
  say(isOther ? 'You have changed the definition. Show the difference again, then apply it.' : '');
}

const currentTag = kept.elements.etag?.value;
const draft = JSON.parse(sessionStorage.getItem(draftName) ?? 'null');
// the server has not taken the form that it shows again; what was typed after it is newer
if (kept.dataset.posted !== undefined && draft?.sent !== false) keep();
// a page with a query is a new beginning, unless it is the page where the draft began
else if (draft && (!location.search || draft.at === here)) {
  if (kept.dataset.form) void restore(draft.fields);
  else {
    for (const [name, text] of draft.fields) if (kept.elements[name]) kept.elements[name].value = text;
    checkDifference();
    // the form now has the former tag: with it, the server shows what somebody else has changed, and applies nothing
    const [, tag] = draft.fields.find((/** @type {any} */ [name]) => name === 'etag') ?? [];
    const isOvertaken = tag !== undefined && tag !== currentTag;
    tellDraft(
      `This is what you typed earlier.${isOvertaken ? ' Somebody has changed the definition since.' : ''}`,
    );
  }
} else if (draft && !draft.sent)
  tellDraft('You began another form earlier. What you type here replaces it.', 'Continue it', () =>
    location.assign(draft.at),
  );
// After a step back, the browser fills in texts, but only that of the definition is whole. If the form was sent, the entry
// of the history has all of it.
addEventListener('pageshow', ({ persisted }) => {
  if (!kept.dataset.form || kept.inert || persisted) return;
  const { definition, id, token } = kept.elements;
  const { user, form } = history.state ?? {};
  if (form && user === sessionStorage.user) void restore(JSON.parse(form).fields);
  else if (definition.value !== definition.defaultValue)
    void restore([definition, id, token].map(({ name, value }) => [name, value]));
});
/** The timer of the next fresh form. @type {any} */
let renewal;
for (const kind of ['input', 'change'])
  kept.addEventListener(kind, (/** @type {any} */ { target }) => {
    if (target.type === 'file' && (kind === 'input' || refusesFile(target))) return;
    keep();
    checkDifference();
    // an answer to the form before this change would replace the change
    typed += 1;
    clearTimeout(renewal);
    // the answer fills in fields for a file, also where a person typed before
    if (target.type === 'file') target.focus();
    const isChoice = target.matches('[type=radio], [type=file], select');
    if (isChoice && kind === 'input') return;
    if (kept.dataset.form) renewal = setTimeout(renew, isChoice ? 0 : 400);
  });
// the page of a difference has another form, which applies the text
document.addEventListener('submit', ({ target }) => {
  if (/** @type {any} */ (target).action !== kept.action) return;
  // an answer that is under way would make the sent form a draft again
  typed += 1;
  clearTimeout(renewal);
  // the page no longer waits for a plan
  if (kept.dataset.form && find('#plan').textContent === PLANNING) find('#plan').textContent = '';
  keep(true);
  try {
    const form = sessionStorage.getItem(draftName);
    history.replaceState({ user: sessionStorage.user, form }, '');
  } catch {
    // the browser may have no room
  }
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
  // a line break comes before each line but the first
  const from = lines.slice(0, at).join('\n').length + (at > 0 ? 1 : 0);
  area.focus();
  area.setSelectionRange(from, from + lines[at].length);
});
