/** The environment that models see: the process's own without foray's settings, which hold the API key. */
export function modelEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FORAY_')));
}

/** What the program of a command model finds in its environment besides. */
export function modelEnvironmentOf(modelFolder: string): Record<string, string> {
  return {
    FORAY_MODEL_DIR: modelFolder,
    // Python would hold back what it prints until it has printed a lot
    PYTHONUNBUFFERED: '1',
  };
}
