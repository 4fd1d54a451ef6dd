import { html } from '../../report/html/markup.ts';
import { API_ROOT, endpoints } from '../api/endpoints.ts';
import { tableOf } from './grid.ts';
import type { Page } from './layout.ts';

/** The page of the API: each endpoint with its role. */
export function referencePage(url: string): Page {
  return {
    title: 'API',
    body: html`<h1>API</h1>
      <p>
        The API is below <code>${url}${API_ROOT}</code>. Requests need the header
        <code>Authorization: Bearer KEY</code>. <a href="${API_ROOT}/openapi.json">openapi.json</a> describes
        the API for tools.
      </p>
      <pre tabindex="0">
curl -H "Authorization: Bearer $FORAY_KEY" ${url}${API_ROOT}/campaigns
pip install pandas && curl -O ${url}/python/foray.py</pre>
      <pre tabindex="0">
import foray
server = foray.connect()
print(server.campaign("flu").wait().results())</pre>
      ${tableOf(
        ['Method', 'Address', 'Who', 'What'],
        Object.values(endpoints).map(({ method, path, role, summary }) => [
          method,
          html`<code>${path}</code>`,
          role,
          html`<div class="reason">${summary}</div>`,
        ]),
      )}`,
  };
}
