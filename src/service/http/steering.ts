import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { canonicalValue, nameKey } from '../../api/values.ts';
import { textOf } from '../../http/text-bodies.ts';
import { stateWord } from '../animation/resource.ts';
import type { Shown } from '../animation/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { SettableType } from '../models/model.ts';
import { typedValue } from '../models/typed-values.ts';
import { checkValue } from '../runs/checked.ts';
import { reader } from './body.ts';

// the queries of requests
const OfCommand = z.object({ cmd: z.string(), parameters: z.string().default('') });
const OfValue = z.object({ pathtofield: z.string() });
const OfFunction = z.object({ pathtofunction: z.string() });

/** Carries out a command; `parameters` is the query parameter of this name. */
type Act = (shown: Shown, parameters: string) => void;

const commands: Record<string, Act> = {
  pause: ({ session }) => session.pause(),
  run: ({ session }) => session.run(),
  setspeed: ({ session }, parameters) => session.setSpeed(speedIn(parameters)),
  navigateto: ({ session, animation }, parameters) =>
    session.show(elementAt(animation.viewAreas, parameters, 'view area')),
  setpresentable({ session }, parameters) {
    if (!/^(experiment\.)?root$/i.test(parameters.trim())) {
      throw new ServiceError(
        'INVALID_QUERY',
        `The query parameter "parameters" is "${parameters}": the only allowed value is experiment.root, the whole picture.`,
      );
    }
    session.show(null);
  },
};

/** The handlers of requests that steer an animated run, by the path after the session. The results are sent as JSON. */
export const steering: Record<string, (shown: Shown, request: FastifyRequest) => unknown> = {
  '/get-state': ({ session }) => wrapped(JSON.stringify(stateWord(session))),

  async '/stop'({ session }) {
    await session.end({ status: 'STOPPED', reason: null });
    return null;
  },

  '/command'(shown, { query }) {
    const { cmd, parameters } = reader.query(OfCommand, query);
    if (!Object.hasOwn(commands, cmd)) {
      const known = Object.keys(commands).join(', ');
      throw new ServiceError('INVALID_QUERY', `The query parameter cmd is "${cmd}"; it can be ${known}.`);
    }
    commands[cmd]!(shown, parameters);
    return null;
  },

  async '/get-value'({ session, animation }, { query }) {
    const path = reader.query(OfValue, query).pathtofield;
    const { name, type } = elementAt(animation.values, path, 'value');
    return wrapped(await session.ask({ kind: 'get', name, type }));
  },

  async '/set-value'({ session, animation }, request) {
    const path = reader.query(OfValue, request.query).pathtofield;
    const { name, type, settable } = elementAt(animation.values, path, 'value');
    if (!settable) throw new ServiceError('INVALID_QUERY', `The value "${name}" can be read, but not set.`);
    // a request without a body sets an empty text
    const text = textOf(request);
    // a model can declare only a value of a `SettableType` as settable
    const ofType = type as SettableType;
    const value = checkValue(name, () => typedValue(ofType, canonicalValue(ofType, text)));
    await session.ask({ kind: 'set', name, value });
    return null;
  },

  async '/call-function'({ session, animation }, request) {
    const path = reader.query(OfFunction, request.query).pathtofunction;
    const { name, parameters = [] } = elementAt(animation.functions, path, 'function');
    const args = argumentsIn(textOf(request) || '[]');
    if (args.length !== parameters.length) {
      const wanted = parameters.length === 0 ? 'none' : `${parameters.length} (${parameters.join(', ')})`;
      throw new ServiceError(
        'INVALID_BODY',
        `The function "${name}" was given ${args.length} arguments; it takes ${wanted}.`,
      );
    }
    return wrapped(await session.ask({ kind: 'call', name, args }));
  },
};

/** JSON text as existing clients expect it: a JSON string that contains JSON. */
function wrapped(json: string): string {
  return JSON.stringify(json);
}

/** The prefix that clients write before the name of a top-level element of the model. */
const TOP = /^\s*(experiment\.)?root\./i;

/** The declared element that a path names. @throws ServiceError INVALID_QUERY with the list of known names */
function elementAt<E extends { name: string }>(
  elements: readonly E[] | undefined,
  path: string,
  what: string,
): E {
  const key = nameKey(path.replace(TOP, ''));
  const element = elements?.find(({ name }) => nameKey(name) === key);
  if (element) return element;
  const known = (elements ?? []).map(({ name }) => `"${name}"`).join(', ');
  throw new ServiceError(
    'INVALID_QUERY',
    `The model has no ${what} "${path}"; ${known === '' ? 'it declares none' : `it declares ${known}`}.`,
  );
}

/**
 * The arguments of a call: a JSON list with the JSON text of each argument, as existing clients send them.
 *
 * @throws ServiceError INVALID_BODY
 */
function argumentsIn(body: string): unknown[] {
  return reader
    .json(z.array(z.string('the JSON text of an argument is expected')), body, 'body')
    .map((text, index) => reader.json(z.unknown(), text, `argument ${index + 1}`));
}

/** @throws ServiceError INVALID_QUERY */
function speedIn(text: string): number {
  const speed = text.trim() === '' ? Number.NaN : Number(text);
  if (speed > 0) return speed;
  throw new ServiceError(
    'INVALID_QUERY',
    `The query parameter "parameters" is "${text}"; it should be a speed above 0, in time units of the model per second, or Infinity.`,
  );
}
