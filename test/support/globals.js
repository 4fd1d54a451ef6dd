/** What test files import from `@jest/globals`. The runner sets it for each test file (runner.js). */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  globalThis.globalsOfJest;
