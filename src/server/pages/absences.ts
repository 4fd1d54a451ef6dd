import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from '../../report/html/markup.ts';
import type { Absences, Neighbour } from '../reachability.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Part, partOf } from './page-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The services that did not answer when the page was requested. */
    absences: Absences;
  }
}

const words: Record<Neighbour, { who: string; what: string }> = {
  service: { who: 'The model service', what: 'No run is requested until it answers again.' },
  temporal: { who: 'Temporal', what: 'No campaign starts, changes or continues until it answers again.' },
};

/** Sets `absences` of each request for a page. They are empty for routes for anyone. */
export function addAbsences(app: FastifyInstance, { reachability }: ServerParts): void {
  app.decorateRequest('absences');
  app.addHook('preHandler', async (request) => {
    const isForAnyone = request.routeOptions.config.role === 'anyone';
    request.absences = isForAnyone ? {} : await reachability.absences();
  });
}

/** Shows which services do not answer, and since when. A request that was refused early has no `absences`. */
export function absencesPart({ absences = {} }: Partial<Pick<FastifyRequest, 'absences'>>): Part {
  const silent = Object.entries(absences) as [Neighbour, number][];
  return partOf(
    'away',
    html`<div id="away">
      ${silent.map(
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
