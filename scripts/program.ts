import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript';
import { bundle, bundles } from '../src/dev/workflow-bundle.ts';
import { publicModules } from '../src/package/own-files.ts';
import { LIBRARY_MODULES, withImports } from '../src/service/models/library.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * The modules that are a program, a thread or the entry of the library. Other modules start the programs and threads by
 * their path.
 */
const entries = [
  'worker',
  'src/index',
  'src/cli/main',
  'src/dev/run-with-parent',
  'src/search/thread/course-thread',
  'src/server/live/gather-thread',
  'src/server/jobs/job-thread',
  'src/service/executors/executor',
  'src/service/executors/watchdog',
  'src/service/models/describe-thread',
  'src/service/animation/animator',
];

/** Files that foray reads instead of importing, and folders of such files. */
const read = [
  'src/cli/scaffold',
  'src/report/html/picture.js',
  'src/service/animation/player',
  'src/server/login/login.js',
  'src/server/pages/form.js',
  'src/server/pages/page.css',
  'src/server/pages/page.js',
  'examples',
  'python',
];

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
/** Temporal's packages that users install. Its interceptors for traces are part of the program. */
const temporal = Object.keys(dependencies).filter((name) => name.startsWith('@temporalio/'));

/**
 * Packages that stay outside the bundle. Temporal's packages have native code and find their parts by path. The others
 * are needed only by some commands.
 */
const external = [...temporal, 'protobufjs', 'pg'];

/**
 * Loads Node's HTTP by `require`. After an `import`, Node reads each member of the module, and one member loads Node's
 * implementation of WebSocket. This costs a process up to 35 ms of CPU time.
 */
const requiredHttp: Plugin = {
  name: 'required-http',
  setup(builder) {
    const namespace = 'required-http';
    builder.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace } : undefined,
    );
    builder.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** A source map that says nothing. */
const NO_MAP = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');
/** Leaves packages out of the source maps, because their part is larger than that of foray. */
const ownMaps: Plugin = {
  name: 'own-maps',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
      loader: 'js',
    }));
  },
};

/**
 * Writes the program of the package, in the same folders as in a checkout. The program is a few files of JavaScript,
 * which include the packages that foray uses, except those in `external`. Each module of the models and of their
 * library stays a separate file. The workflows have bundles of their own. The files that modules read are copied. A
 * command starts more than twice as fast as in a checkout, because Node has to find and link only a few modules.
 *
 * @param dist - the folder, `dist` beside a package.json
 * @returns the files of packages that are part of the program
 */
export async function writeProgram(dist: string): Promise<string[]> {
  rmSync(dist, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(root, `${entry}.ts`)),
    outbase: root,
    outdir: dist,
    // a chunk may contain src/package/own-files.ts, which finds other files by paths relative to itself, so chunks are
    // at the same depth of folders as src/package
    chunkNames: 'src/chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external,
    plugins: [requiredHttp, ownMaps],
    // packages in CommonJS need `require`
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'error',
  });
  writeLibrary(dist);
  for (const path of read) {
    cpSync(join(root, path), join(dist, path), { recursive: true, filter: isSource });
  }
  // the bundles of the workflows are made here, so that a worker starts without webpack
  for (const { module, file, interceptors } of Object.values(bundles)) {
    const code = await bundle(join(root, `${module}.ts`), interceptors);
    const path = join(dist, `${file}.js`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withSlimMap(code));
  }
  return Object.keys(metafile.inputs).filter((input) => input.startsWith('node_modules/'));
}

/**
 * Writes the models, and the modules of foray that they import, as separate files, because these files are part of a
 * model's version. They have no source maps, because each file in the folder of a model is part of its version.
 */
function writeLibrary(dist: string): void {
  const library = withImports(LIBRARY_MODULES.map((name) => publicModules[name]!));
  const models = globSync('models/**/*.ts', { cwd: root }).map((file) => join(root, file));
  for (const file of new Set([...library, ...models])) {
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2024,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
      },
    });
    const path = join(dist, relative(root, file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, outputText);
  }
}

/** False for files that Python creates when it imports or installs a module. */
function isSource(path: string): boolean {
  return !/__pycache__|\.egg-info|python.build/.test(path.slice(root.length));
}

/**
 * Makes the source map in the bundle smaller. The worker needs the map, but not the sources and not the path of this
 * folder.
 */
function withSlimMap(code: string): string {
  const [, head, encoded] = /^(.*base64,)(\S+)\s*$/s.exec(code)!;
  const map = JSON.parse(Buffer.from(encoded!, 'base64').toString()) as { sources: string[] };
  const sources = map.sources.map((source) => source.replace(`${root}${sep}`, ''));
  const slim = { ...map, sources, sourcesContent: undefined };
  return `${head}${Buffer.from(JSON.stringify(slim)).toString('base64')}\n`;
}
