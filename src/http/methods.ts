import type { FastifyInstance } from 'fastify';

/** The methods of HTTP that each path with routes takes. */
export interface Methods {
  /** All methods of a path; empty if the path has no route. */
  of(path: string): string[];
  /**
   * Whether exactly this path has routes, but none for this method. For such a request the router would try routes with
   * variable segments: `GET /models/name` would ask for the model with the id "name".
   */
  isWrong(method: string, path: string): boolean;
}

interface Path {
  pattern: RegExp;
  methods: Set<string>;
}

/** Records all routes that are added from now on, so that a wrong method and a wrong address get different errors. */
export function noteMethods(app: FastifyInstance): Methods {
  const paths = new Map<string, Path>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = withoutTrailingSlash(url);
    const known = paths.get(path) ?? { pattern: patternOf(path), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(path, known);
  });
  return {
    of(path) {
      const bare = withoutTrailingSlash(path);
      const exact = paths.get(bare);
      const matching = exact ? [exact] : [...paths.values()].filter(({ pattern }) => pattern.test(bare));
      return [...new Set(matching.flatMap(({ methods }) => [...methods]))];
    },
    isWrong(method, path) {
      const exact = paths.get(withoutTrailingSlash(path));
      return exact !== undefined && !exact.methods.has(method);
    },
  };
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.*';
    return segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment);
  });
  return new RegExp(`^${segments.join('/')}$`);
}
