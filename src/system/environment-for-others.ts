/**
 * Variables that may contain keys and passwords of this process: settings of foray, Temporal and PostgreSQL, and the
 * headers for the receiver of traces.
 */
const OWN_SETTINGS = /^(FORAY_|TEMPORAL_|PG|OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$)/;

/** The environment for a program of somebody else: that of this process without its own settings. */
export function environmentForOthers(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_SETTINGS.test(name)));
}
