// the code of a login address is behind its #, so that no request, log or Referer has it: send it as the form would
const code = location.hash.slice(1);
const form = document.querySelector('form');
if (code !== '') {
  history.replaceState(null, '', location.pathname + location.search);
  form.elements.namedItem('code').value = code;
  form.submit();
}
