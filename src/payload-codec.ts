import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { ForayError, messageOf } from './errors.ts';
import { moduleTypeHint } from './package/module-type.ts';
import { printableLine } from './text/printable.ts';

/**
 * The data converter of clients and workers: that of Temporal's SDK, with the codecs of a module. Codecs transform
 * payloads, for example encrypt them, outside of workflows.
 *
 * @param name - the path of the module, or the name of a package beside the working directory; undefined for no codec
 * @throws ForayError CODEC_UNUSABLE
 */
export async function dataConverter(name: string | undefined): Promise<DataConverter> {
  return name === undefined ? {} : { payloadCodecs: (await codecsIn(name)).map(withNamedErrors) };
}

/** The codecs that a module exports as `codecs` or by default: one or a list. */
async function codecsIn(name: string): Promise<PayloadCodec[]> {
  const given = await exportOf(name);
  const codecs: unknown[] = Array.isArray(given) ? given : [given];
  if (codecs.length > 0 && codecs.every(isCodec)) return codecs;
  throw new ForayError(
    'CODEC_UNUSABLE',
    `The module ${name}, which FORAY_PAYLOAD_CODEC names, exports no payload codec.`,
    {
      hint: 'Export an object with the functions encode and decode, or a list of such objects, by default or as "codecs".',
    },
  );
}

async function exportOf(name: string): Promise<unknown> {
  let file = resolve(name);
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) file = createRequire(file).resolve(name);
    const module = (await import(pathToFileURL(file).href)) as { codecs?: unknown; default?: unknown };
    return module.codecs ?? module.default;
  } catch (error) {
    throw new ForayError(
      'CODEC_UNUSABLE',
      `The module ${name}, which FORAY_PAYLOAD_CODEC names, cannot be loaded: ${reasonOf(error)}`,
      { hint: error instanceof SyntaxError ? moduleTypeHint(file) : undefined },
    );
  }
}

function isCodec(value: unknown): value is PayloadCodec {
  const { encode, decode } = (value ?? {}) as Partial<Record<keyof PayloadCodec, unknown>>;
  return typeof encode === 'function' && typeof decode === 'function';
}

/** A codec whose errors say that the codec is the cause. */
function withNamedErrors(codec: PayloadCodec): PayloadCodec {
  const using =
    (verb: keyof PayloadCodec): PayloadCodec['encode'] =>
    async (payloads, context): Promise<Payload[]> => {
      try {
        return await codec[verb](payloads, context);
      } catch (error) {
        throw new ForayError(
          'CODEC_UNUSABLE',
          `The payload codec cannot ${verb} what Temporal keeps: ${reasonOf(error)}`,
        );
      }
    };
  return { encode: using('encode'), decode: using('decode') };
}

/** The first line of the message, with a full stop. What follows are paths of modules. */
function reasonOf(error: unknown): string {
  return printableLine(messageOf(error).split('\n')[0]!).replace(/\.?$/, '.');
}
