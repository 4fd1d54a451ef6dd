/** The environment that models see: the process's own without foray's settings, which hold the API key. */
export function modelEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FORAY_')));
}
