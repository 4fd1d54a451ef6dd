import fc from 'fast-check';

/**
 * fast-check with a fixed seed, so that the result of a test depends only on the code. FORAY_SEED=N draws other
 * examples.
 */
fc.configureGlobal({ seed: Number(process.env.FORAY_SEED ?? 1) });

export default fc;
