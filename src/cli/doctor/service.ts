import type { OwnIds, Settings } from '../../client/index.ts';
import { fileOfStore, stateOfStore } from '../../store/index.ts';
import { CloudClient, isCloudError } from '../../cloud/index.ts';
import { counted } from '../../report/words/words.ts';
import { type Check, failed, failedWith, ok, skipped, warning } from './check.ts';

/** How long the service may take to answer, ms. */
const ANSWER_MS = 10_000;

/** Checks the model service, and whether it accepts the key. */
export async function checkService({ service }: Settings): Promise<Check[]> {
  const { url } = service;
  const cloud = new CloudClient({ ...service, attempts: 1, total: ANSWER_MS });
  try {
    // the cheapest request that needs a key
    const models = await cloud.listModels();
    const problems = (await cloud.health())?.problems ?? [];
    return [
      problems.length === 0
        ? ok('model service', `${url} answers.`)
        : failed(
            'model service',
            `${url} answers, but not all is well: ${problems.map(({ message }) => message).join(' ')}`,
            'The log of the service has the details.',
          ),
      models.length > 0
        ? ok(
            'key',
            `The service accepts the key. The key gives access to ${counted(models.length, 'model')}.`,
          )
        : warning(
            'key',
            'The service accepts the key, but the key gives access to no model.',
            'Ask for access to a model.',
          ),
    ];
  } catch (error) {
    if (isCloudError(error) && error.kind === 'unauthorized')
      return [ok('model service', `${url} answers.`), keyRefused(service.key, error.hint ?? '')];
    const advice = `Check that ${url} is the address of a model service (--service-url or FORAY_SERVICE_URL).`;
    return [failedWith('model service', error, advice), skipped('key', 'The model service is not reached.')];
  }
}

function keyRefused(key: string, advice: string): Check {
  return failed(
    'key',
    key === '' ? 'The model service needs a key, but no key is set.' : 'The model service refuses the key.',
    advice,
  );
}

/** What the settings name, to compare it with the names of workers. */
export async function ownIds({ service, store, temporal }: Settings): Promise<OwnIds> {
  const cloud = new CloudClient({ ...service, attempts: 1, total: ANSWER_MS });
  const [identity, state] = await Promise.all([
    cloud.identity().catch(() => undefined),
    stateOfStore(store).catch(() => undefined),
  ]);
  return {
    service: identity,
    store: state?.id ?? undefined,
    file: state && fileOfStore(store),
    hasCodec: temporal.payloadCodec !== undefined,
  };
}
