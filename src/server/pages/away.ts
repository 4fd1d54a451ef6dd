import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from '../../report/html/markup.ts';
import type { Absences, Neighbour } from '../reachability.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Part, partOf } from './page-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who did not answer when the page was asked for. */
    away: Absences;
  }
}

const words: Record<Neighbour, { who: string; what: string }> = {
  service: { who: 'The model service', what: 'No run is requested until it does.' },
  temporal: { who: 'Temporal', what: 'No campaign is started, changed or goes on until it does.' },
};

/** Has each request of a page know who does not answer. */
export function addAway(app: FastifyInstance, { away }: ServerParts): void {
  app.decorateRequest('away');
  app.addHook('preHandler', async (request) => {
    request.away = request.routeOptions.config.role === 'anyone' ? {} : await away.look();
  });
}

/** Says who does not answer, and since when. Problems of requests that came to no page know nothing of it. */
export function awayPart({ away }: Partial<Pick<FastifyRequest, 'away'>>): Part {
  const absences = Object.entries(away ?? {}) as [Neighbour, number][];
  return partOf(
    'away',
    html`<div id="away">
      ${absences.map(
        ([neighbour, since]) =>
          html`<p class="bad">
            ${words[neighbour].who} has not answered since
            ${new Date(since).toISOString().slice(0, 19).replace('T', ' ')} UTC. ${words[neighbour].what} What
            is shown is what foray has stored.
          </p>`,
      )}
    </div>`,
  );
}
