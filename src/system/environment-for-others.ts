/** Variables that may contain keys and passwords of this process: settings of foray, Temporal and PostgreSQL. */
const OWN_SETTINGS = /^(FORAY_|TEMPORAL_|PG)/;

/** The environment for a program of somebody else: that of this process without its own settings. */
export function environmentForOthers(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_SETTINGS.test(name)));
}
