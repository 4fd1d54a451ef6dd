/**
 * Temporal notices a killed worker after this time without a heartbeat, in ms. An activity reports five heartbeats to the
 * SDK in this time, and the SDK sends some of them. Workflows load this file, so it imports nothing.
 */
export const HEARTBEAT_TIMEOUT = 5_000;
