import type * as z from 'zod';

/** A query or a text that its schema refuses, or a text that is not JSON. */
export interface Refused {
  /** `query`, `body`, or the name of another text. */
  where: string;
  schema: z.ZodType;
  /** The value; undefined if the body is empty. */
  value: unknown;
  /** Undefined if the text is not JSON. */
  error: z.ZodError | undefined;
}

/** Reads queries and bodies by the schemas of endpoints. */
export class Reader {
  readonly #refuse: (refused: Refused) => Error;
  readonly #words: z.core.ParseContext<z.core.$ZodIssue>;

  /**
   * @param refuse - makes the error for the client
   * @param words - makes the message for a value of the wrong type, for schemas without their own. @default zod's
   */
  constructor(refuse: (refused: Refused) => Error, words?: z.core.$ZodErrorMap) {
    this.#refuse = refuse;
    this.#words = words ? { error: words } : {};
  }

  /** Reads a query. `name[key]=value` is an entry of the object `name`, as in the style deepObject of OpenAPI. */
  query<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
    return this.#checked(schema, withObjects(query as Record<string, unknown>), 'query');
  }

  /** Reads the body of an endpoint. An empty body is no value. A body that is one JSON string may also be plain text. */
  body(schema: z.ZodType, text: string): unknown {
    if (schema.def.type === 'string') return bareOrJsonString(text);
    return text.trim() === '' ? this.#checked(schema, undefined, 'body') : this.json(schema, text, 'body');
  }

  /** Reads JSON. `where` is the name of the text in errors. */
  json<S extends z.ZodType>(schema: S, text: string, where: string): z.output<S> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.#refuse({ where, schema, value: text, error: undefined });
    }
    return this.#checked(schema, value, where);
  }

  #checked<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
    const { success, data, error } = schema.safeParse(value, this.#words);
    if (success) return data;
    throw this.#refuse({ where, schema, value, error });
  }
}

function bareOrJsonString(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // bare text
  }
  return text;
}

function withObjects(query: Record<string, unknown>): Record<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [text, value] of Object.entries(query)) {
    // a schema would silently drop the key __proto__, so `name[__proto__]` stays an unknown parameter
    const [, name, key] = /^([a-z]+)\[(?!__proto__\])(.*)\]$/s.exec(text) ?? [];
    if (name === undefined) found.set(text, value);
    else found.set(name, { ...(found.get(name) as object | undefined), [key!]: value });
  }
  return Object.fromEntries(found);
}
