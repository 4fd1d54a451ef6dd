import { stringify } from 'yaml';
import type { ModelAtService } from '../../client/index.ts';
import { starterDefinition } from '../../client/starter.ts';

/**
 * The definition that the fields of a form make: `in:INPUT` with one value fixes an input, with several, or with FROM..TO/STEP, varies it.
 * Without any, the one that `foray init` writes.
 */
export function definitionFrom(model: ModelAtService, fields: URLSearchParams): string {
  const inputs: Record<string, unknown> = {};
  const grid: Record<string, unknown> = {};
  for (const { name } of model.version.experimentTemplate.inputs) {
    const given = (fields.get(`in:${name}`) ?? '').trim();
    if (given === '') continue;
    const range = /^(\S+?)\.\.(\S+?)\/(\S+)$/.exec(given);
    if (range) {
      const [from, to, step] = range.slice(1).map(valueOf);
      grid[name] = { from, to, step };
    } else if (given.includes(',')) grid[name] = given.split(',').map((one) => valueOf(one.trim()));
    else inputs[name] = valueOf(given);
  }
  const replications = (fields.get('replications') ?? '').trim();
  if (Object.keys({ ...inputs, ...grid }).length === 0 && replications === '')
    return starterDefinition(model, model.version, model.experiments);
  return stringify({
    campaign: model.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, ''),
    model: { name: model.name },
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(Object.keys(grid).length > 0 && { design: { grid } }),
    ...(replications !== '' && { replications: valueOf(replications) }),
  });
}

/** Numbers and booleans as such, anything else as the text that it is. */
function valueOf(text: string): unknown {
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return text;
}
