import type { FastifyRequest } from 'fastify';
import type { ModelRegistry } from '../../models/registry.ts';

/**
 * A hook that reads the versions that another service of the database may have added. It does so for requests about
 * models, and for requests about a version that is not known here.
 */
export function noticeVersions(registry: ModelRegistry) {
  return async ({ params, routeOptions }: FastifyRequest): Promise<void> => {
    const { versionId } = params as { versionId?: string };
    const isAboutModels = routeOptions.url?.includes('/models') === true;
    if (isAboutModels || (versionId !== undefined && !registry.has(versionId))) await registry.notice();
  };
}
