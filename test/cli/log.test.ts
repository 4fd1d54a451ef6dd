import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'foray-log-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
