import { steadyEnvironment } from '../system/steady-environment.ts';

/** The variable that tells which executor a process stems from. */
export const MARK = 'FORAY_EXECUTOR';

/** Further environment variables for the program of a command model. */
export function modelEnvironmentOf(modelFolder: string): Record<string, string> {
  return { FORAY_MODEL_DIR: modelFolder, ...steadyEnvironment() };
}
