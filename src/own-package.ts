import { registerHooks } from 'node:module';

// a model or a definition may be anywhere, and imports foray, foray/model and foray/kernel as a package of ours would: from
// this one's exports
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, /^foray(\/|$)/.test(specifier) ? { ...context, parentURL: import.meta.url } : context),
});
