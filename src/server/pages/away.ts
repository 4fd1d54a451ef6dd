import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from '../../report/html/markup.ts';
import type { Absences, Neighbour } from '../reachability.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Part, partOf } from './page-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The services that did not answer when the page was requested. */
    away: Absences;
  }
}

const words: Record<Neighbour, { who: string; what: string }> = {
  service: { who: 'The model service', what: 'No run is requested until it answers again.' },
  temporal: { who: 'Temporal', what: 'No campaign starts, changes or continues until it answers again.' },
};

/** Sets `away` of each request for a page: the services that do not answer. It is empty for routes for anyone. */
export function addAway(app: FastifyInstance, { away }: ServerParts): void {
  app.decorateRequest('away');
  app.addHook('preHandler', async (request) => {
    request.away = request.routeOptions.config.role === 'anyone' ? {} : await away.look();
  });
}

/** Shows which services do not answer, and since when. A request that was refused early has no `away`. */
export function awayPart({ away }: Partial<Pick<FastifyRequest, 'away'>>): Part {
  const absences = Object.entries(away ?? {}) as [Neighbour, number][];
  return partOf(
    'away',
    html`<div id="away">
      ${absences.map(
        ([neighbour, since]) =>
          html`<p class="bad">
            ${words[neighbour].who} has not answered since
            ${new Date(since).toISOString().slice(0, 19).replace('T', ' ')} UTC. ${words[neighbour].what} This
            page shows what foray has stored.
          </p>`,
      )}
    </div>`,
  );
}
