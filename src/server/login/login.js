// The code of a login address comes after its #, so that no request, log or Referer contains it. This script puts the
// code into the form, and sends the form.
const code = location.hash.slice(1);
const form = document.querySelector('form');
if (code !== '') {
  history.replaceState(null, '', location.pathname + location.search);
  form.elements.namedItem('code').value = code;
  form.submit();
}
