// The code of a login address comes after the #, so that the addresses in requests, logs and Referer headers do not
// contain the code. This script puts the code into the form, and sends the form.
const code = location.hash.slice(1);
const form = document.querySelector('form[action="/login"]');
if (code !== '') {
  history.replaceState(null, '', location.pathname + location.search);
  form.elements.namedItem('code').value = code;
  form.submit();
}
