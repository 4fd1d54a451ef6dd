import { steadyEnvironment } from '../system/steady-environment.ts';

/** The environment of models: that of this process without the variables `FORAY_…`, which may contain the API key. */
export function modelEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FORAY_')));
}

/** The variable that tells which executor a process stems from. */
export const MARK = 'FORAY_EXECUTOR';

/** Further environment variables for the program of a command model. */
export function modelEnvironmentOf(modelFolder: string): Record<string, string> {
  return { FORAY_MODEL_DIR: modelFolder, ...steadyEnvironment() };
}
