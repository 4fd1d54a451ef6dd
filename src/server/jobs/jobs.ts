import type { CampaignChange, Difference, Foray, Plan, Submitted } from '../../client/index.ts';
import type { PostedError } from './posted-errors.ts';
import { type Sent, withDefinition } from './with-definition.ts';

/** What each job takes and gives. Both are posted between threads, so they are plain data. */
interface JobTypes {
  plan: { takes: { all?: boolean | undefined; runSeconds?: number | undefined }; gives: Plan };
  submit: { takes: { id?: string; token?: string | undefined; owner: string }; gives: Submitted };
  compare: { takes: { id: string }; gives: Difference };
  apply: { takes: { id: string; reason: string }; gives: CampaignChange };
}

export type JobName = keyof JobTypes;
export type Takes<K extends JobName> = JobTypes[K]['takes'];
export type Gives<K extends JobName> = JobTypes[K]['gives'];

/**
 * Everything that the server does with a definition. A definition is text from outside: reading it and planning its
 * design may take long, so a thread does it.
 * Temporary files are in the given folder.
 */
export const jobs: {
  [K in JobName]: (foray: Foray, folder: string, sent: Sent, takes: Takes<K>) => Promise<Gives<K>>;
} = {
  plan: (foray, folder, sent, options) =>
    withDefinition(folder, sent, (source) => foray.plan(source, options)),
  submit: (foray, folder, sent, options) =>
    withDefinition(folder, sent, (source) => foray.submit(source, options)),
  compare: (foray, folder, sent, { id }) =>
    withDefinition(folder, sent, (source) => foray.compare(id, source)),
  apply: (foray, folder, sent, { id, reason }) =>
    withDefinition(folder, sent, (source) => foray.apply(id, source, reason)),
};

/** The message that starts a job in a thread. */
export interface Order<K extends JobName = JobName> {
  job: K;
  sent: Sent;
  takes: Takes<K>;
}

/** The message at the end of a job. */
export type Outcome = { gives: unknown } | { error: PostedError };
