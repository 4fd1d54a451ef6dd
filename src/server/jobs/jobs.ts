import { type Form, type PostedForm, together } from '../../campaign/form/form.ts';
import type { FormModel } from '../../campaign/form/shape.ts';
import type { Difference, Foray, Plan, PreparedChange, Submitted } from '../../client/index.ts';
import type { ReportChoice } from '../../report/of-campaign.ts';
import type { Query } from '../api/rows-of.ts';
import type { ChosenRuns, RunChoice } from '../live/look.ts';
import type { ComparedParts } from './answers.ts';
import type { PostedError } from './posted-errors.ts';
import { type Sent, withDefinition } from './with-definition.ts';

/** A file that a job writes, for the results of a campaign. */
interface Written {
  id: string;
  path: string;
}

/** What each job takes and gives. Both are posted between threads, so they are plain data. */
interface JobTypes {
  plan: { takes: { sent: Sent; all?: boolean | undefined; runSeconds?: number | undefined }; gives: Plan };
  submit: { takes: { sent: Sent; id?: string; token?: string | undefined; owner: string }; gives: Submitted };
  difference: { takes: { sent: Sent; id: string }; gives: Difference };
  form: { takes: { model: FormModel; posted: PostedForm; way?: string | undefined }; gives: Form };
  change: { takes: { sent: Sent; id: string; reason: string }; gives: PreparedChange };
  report: { takes: Written & { choice: ReportChoice }; gives: void };
  figures: { takes: Written & { choice: ReportChoice }; gives: void };
  parquet: { takes: Written & { query: Query }; gives: void };
  analysis: { takes: { id: string; outputs: string[] | undefined }; gives: string };
  compared: { takes: { a: string; b: string; show: string[] | undefined }; gives: string };
  comparedParts: { takes: { a: string; b: string }; gives: ComparedParts };
  pointPictures: { takes: { id: string; key: string; place: number }; gives: string };
  runs: { takes: { id: string; choice: RunChoice }; gives: ChosenRuns };
}

export type JobName = keyof JobTypes;
export type Takes<K extends JobName> = JobTypes[K]['takes'];
export type Gives<K extends JobName> = JobTypes[K]['gives'];

/**
 * Everything that the server computes, in threads of their own, because the main thread serves all clients. Reading and
 * planning a definition may take long, because it is text from outside. Reports and analyses may take long, because
 * campaigns are large. A job puts its temporary files into the given folder.
 */
export const jobs: {
  [K in JobName]: (foray: Foray, folder: string, takes: Takes<K>) => Promise<Gives<K>>;
} = {
  plan: (foray, folder, { sent, ...options }) =>
    withDefinition(folder, sent, (source) => foray.plan(source, options)),
  submit: (foray, folder, { sent, ...options }) =>
    withDefinition(folder, sent, (source) => foray.submit(source, options)),
  difference: (foray, folder, { sent, id }) =>
    withDefinition(folder, sent, (source) => foray.compare(id, source)),
  form: (_foray, _folder, { model, posted, way }) => Promise.resolve(together(model, posted, way)),
  // no thread waits for the worker that makes the change
  change: (foray, folder, { sent, id, reason }) =>
    withDefinition(folder, sent, (source) => foray.prepareChange(id, source, reason)),
  report: async (foray, _folder, { id, choice, path }) =>
    (await answers()).writeReport(foray, id, choice, path),
  figures: async (foray, _folder, { id, choice, path }) =>
    (await answers()).writeFigures(foray, id, choice, path),
  parquet: async (foray, _folder, { id, query, path }) =>
    (await answers()).writeParquet(foray, id, query, path),
  analysis: async (foray, _folder, { id, outputs }) => (await answers()).analysisJson(foray, id, outputs),
  compared: async (foray, _folder, { a, b, show }) => (await answers()).comparedJson(foray, a, b, show),
  comparedParts: async (foray, _folder, { a, b }) => (await answers()).comparedParts(foray, a, b),
  pointPictures: async (foray, _folder, { id, key, place }) =>
    (await answers()).pointPictures(foray, id, key, place),
  runs: async (foray, _folder, { id, choice }) => {
    const { rows, ...found } = await (await import('../live/runs.ts')).runsInOrder(foray, id, choice);
    // plain objects, because only these can be posted
    return { ...found, rows: rows.map((row) => ({ ...row })) };
  },
};

/** Loaded only when needed: a plan needs no plotting library, and loading it takes a moment. */
const answers = () => import('./answers.ts');

/** The message that starts a job in a thread. */
export interface JobOrder<K extends JobName = JobName> {
  job: K;
  takes: Takes<K>;
}

/** The message at the end of a job. */
export type Outcome = { gives: unknown } | { error: PostedError };
