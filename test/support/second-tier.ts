/**
 * Whether this run has the second tier (jest.config.js). Then a test that tries many cases of one law tries all of them.
 * Otherwise it tries as many as find a fault of each kind.
 */
export const isSecondTier = Boolean(process.env.FORAY_SYSTEM);
