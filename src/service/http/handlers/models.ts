import { isLimited } from '../../../api/allowed-values.ts';
import type { Version } from '../../../api/resources.ts';
import { ServiceError } from '../../errors.ts';
import { allowedOf } from '../../models/allowed-values.ts';
import type { Pushes } from '../../models/pushes.ts';
import type { ModelRegistry, ServedVersion } from '../../models/registry.ts';
import type { VersionFiles } from '../../models/version-files.ts';
import type { VersionHistory } from '../../runs/version-history.ts';
import type { Handlers } from '../call.ts';
import type { Limits } from '../limits.ts';
import type { ModelAccess } from '../model-access.ts';

export function modelHandlers(
  registry: ModelRegistry,
  modelAccess: ModelAccess,
  history: VersionHistory,
): Handlers<
  | 'listModels'
  | 'getModel'
  | 'getModelByName'
  | 'getVersion'
  | 'getVersionByNumber'
  | 'listExperiments'
  | 'getVersionCode'
  | 'getAllowedValues'
  | 'listVersions'
  | 'pruneVersions'
> {
  return {
    listModels: ({ user }) => modelAccess.models(user),

    getModel: ({ params }) => registry.model(params.modelId),

    getModelByName({ params, body, user }) {
      const name = body.trim() || params.name;
      if (!name)
        throw new ServiceError('INVALID_BODY', 'The body should be the name of a model, as a JSON string.');
      return modelAccess.modelByName(user, name);
    },

    getVersion({ params }) {
      const version = registry.version(params.versionId);
      if (version.modelId !== params.modelId) {
        throw new ServiceError(
          'UNKNOWN_VERSION',
          `The model has no version with the id ${params.versionId}.`,
        );
      }
      return versionResource(version);
    },

    getVersionByNumber({ params }) {
      const versions = registry.model(params.modelId).modelVersions.map((id) => registry.version(id));
      const version = versions.find(({ version }) => String(version) === params.number);
      if (!version) throw new ServiceError('UNKNOWN_VERSION', `The model has no version ${params.number}.`);
      return versionResource(version);
    },

    listExperiments: ({ params }) => registry.version(params.versionId).experiments,

    getAllowedValues: ({ params }) =>
      registry.version(params.versionId).inputs.flatMap((input) => {
        const allowed = allowedOf(input);
        return isLimited(allowed) ? [{ name: input.name, ...allowed }] : [];
      }),

    listVersions: ({ params }) => history.list(registry.model(params.modelId)),

    pruneVersions({ params, body, user }) {
      const model = registry.model(params.modelId);
      modelAccess.checkMayChange(user, model);
      return history.prune(model, body);
    },

    getVersionCode({ params }) {
      const { retired, files, animation, leak } = registry.version(params.versionId);
      const isRetired = retired !== undefined;
      const animated = !isRetired && animation !== undefined;
      return {
        retired: isRetired,
        files,
        animated,
        ...(isRetired && { reason: retired }),
        ...(leak !== null && { leak }),
      };
    },
  };
}

function versionResource({ id, version, experimentTemplate }: ServedVersion): Version {
  return { id, version, experimentTemplate };
}

/** The handlers for pushes: authors send new versions of their models to the service. */
export function pushHandlers(
  pushes: Pushes,
  files: VersionFiles,
  modelAccess: ModelAccess,
  { upload }: Pick<Limits, 'upload'>,
): Handlers<'pushModel' | 'pushFile'> {
  return {
    pushModel({ body, user }) {
      modelAccess.checkMayPush(user);
      return pushes.push(user, body, (name) => modelAccess.mayChange(user, name));
    },

    async pushFile({ body, user }) {
      modelAccess.checkMayPush(user);
      const sha256 = await files.store(body, upload);
      pushes.noteUpload(user, sha256);
      return sha256;
    },
  };
}
