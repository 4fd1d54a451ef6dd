import { z } from 'zod';
import { type Endpoint, endpoints } from './endpoints.ts';

/** A file of a model version: its path below the model's folder, and the SHA-256 of its content in hexadecimal digits. */
export const VersionFile = z.object({ path: z.string(), sha256: z.string() });
export type VersionFile = z.infer<typeof VersionFile>;

/** What a service knows of the code of a model version. */
export const VersionCode = z.object({
  /** The version takes no new runs, as its code is gone. */
  retired: z.boolean(),
  /** Its files; null where the service did not write them down. */
  files: z.array(VersionFile).nullable(),
});
export type VersionCode = z.infer<typeof VersionCode>;

/** What our service offers beyond the specification. Other services answer these paths with an error. */
export const extensions = {
  getVersionCode: {
    method: 'GET',
    path: '/versions/:versionId/code',
    summary:
      'Extension of the specification: whether a version still takes new runs, and the files that it is made of',
    response: VersionCode,
  },
} as const satisfies Record<string, Endpoint>;

/** The endpoints of the specification and those beyond it. */
export const allEndpoints = { ...endpoints, ...extensions };

export type AnyEndpointName = keyof typeof allEndpoints;
