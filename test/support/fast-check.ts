import fc from 'fast-check';

/**
 * fast-check with one seed for everybody, so that whether a change passes depends on the change alone;
 * FORAY_SEED=N draws other examples.
 */
fc.configureGlobal({ seed: Number(process.env.FORAY_SEED ?? 1) });

export default fc;
