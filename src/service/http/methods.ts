import type { FastifyInstance } from 'fastify';

/** The methods that a path takes; none when there is nothing at it. */
export type MethodsOf = (path: string) => string[];

/** Notes all routes that are added from here on, so that a wrong method can be told from a wrong address. */
export function noteMethods(app: FastifyInstance): MethodsOf {
  const methods = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // preflights, which every path answers
    if (url === '*') return;
    const entry = methods.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) entry.methods.add(each);
    methods.set(url, entry);
  });
  return (path) => [
    ...new Set(
      [...methods.values()]
        .filter(({ pattern }) => pattern.test(path))
        .flatMap((entry) => [...entry.methods]),
    ),
  ];
}

function patternOf(url: string): RegExp {
  const segments = url.replace(/\/+$/, '').split('/').map(segmentPattern);
  return new RegExp(`^${segments.join('/')}/?$`);
}

function segmentPattern(segment: string): string {
  if (segment === '*') return '.*';
  return segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment);
}
