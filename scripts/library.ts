/**
 * Generates the tables of docs/reference/library.md from the exported modules of the package and their comments. `npm
 * run reference` writes them into the page, between `<!-- generated: NAME -->` and `<!-- end -->`. A test checks that
 * they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { publicModules } from '../src/package/own-files.ts';
import { table, withTables } from './table.ts';

const PAGE = join(import.meta.dirname, '../docs/reference/library.md');

/** Classes of `foray` whose members have their own table. */
const CLASSES = ['Foray', 'OutputFiles'];

/** An export of a module. `about` is the first sentence of its comment, up to a colon; empty without a comment. */
export interface Exported {
  name: string;
  kind: 'function' | 'class' | 'type' | 'value';
  about: string;
  node: ts.Node;
}

/** The exports of a module, sorted by name. */
export function exportsOf(file: string): Exported[] {
  return ts
    .createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    .statements.flatMap((statement) => exportsBy(file, statement))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function exportsBy(file: string, statement: ts.Statement): Exported[] {
  if (ts.isExportDeclaration(statement)) {
    const { moduleSpecifier, exportClause } = statement;
    // `export { a, b }`: this module imports these names from another one
    if (!moduleSpecifier) return exportClause ? localExports(exportClause as ts.NamedExports) : [];
    const others = exportsOf(resolve(file, '..', (moduleSpecifier as ts.StringLiteral).text));
    if (!exportClause) return others;
    return namesOf(exportClause as ts.NamedExports).map((name) =>
      others.find((other) => other.name === name)!,
    );
  }
  const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
  return isExported ? [declared(statement)] : [];
}

function localExports(clause: ts.NamedExports): Exported[] {
  return namesOf(clause).map((name) => imported(clause.getSourceFile(), name)!);
}

/** The export of another module that a module imports as `name`; undefined if the module does not import this name. */
function imported(source: ts.SourceFile, name: string): Exported | undefined {
  const origin = source.statements.find(
    (other) => ts.isImportDeclaration(other) && other.importClause?.getText().includes(name),
  ) as ts.ImportDeclaration | undefined;
  if (!origin) return undefined;
  const from = resolve(source.fileName, '..', (origin.moduleSpecifier as ts.StringLiteral).text);
  return exportsOf(from).find((other) => other.name === name);
}

function namesOf(clause: ts.NamedExports): string[] {
  return clause.elements.map(({ name }) => name.text);
}

function isExport({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.ExportKeyword;
}

function declared(node: ts.Statement): Exported {
  const named = ts.isVariableStatement(node) ? node.declarationList.declarations[0]! : node;
  const name = (named as ts.DeclarationStatement).name!.getText();
  const kind = ts.isFunctionDeclaration(node)
    ? 'function'
    : ts.isClassDeclaration(node)
      ? 'class'
      : ts.isVariableStatement(node)
        ? 'value'
        : 'type';
  return { name, kind, about: aboutOf(node), node };
}

/** The public members of a class: its own members first, then the members that it inherits from a class of foray. */
export function membersOf(one: Exported): { name: string; about: string }[] {
  const { members, heritageClauses } = one.node as ts.ClassDeclaration;
  const parents = (heritageClauses ?? [])
    .flatMap(({ types }) => types)
    .map(({ expression }) => imported(one.node.getSourceFile(), expression.getText()))
    .filter((parent) => parent !== undefined);
  const own = members
    .filter(
      (member) =>
        !ts.isConstructorDeclaration(member) &&
        !(ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) &&
        !(member.name && ts.isPrivateIdentifier(member.name)),
    )
    .map((member) => ({ name: member.name!.getText(), about: aboutOf(member) }));
  return [...own, ...parents.flatMap(membersOf)];
}

/** The first sentence of a comment, up to a colon, on one line and without links. */
function aboutOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = (comment && ts.getTextOfJSDocComment(comment.comment)) ?? '';
  const line = text.replaceAll(/\{@link ([^}]*)\}/g, '`$1`').replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?= |$)/.exec(`${line} `)?.[0].replace(/:$/, '.') ?? line;
}

export const tables: Record<string, () => string> = {
  ...Object.fromEntries(
    Object.entries(publicModules).map(([name, file]) => [
      name,
      () =>
        table(
          ['name', 'kind', 'what it is'],
          exportsOf(file).map((one) => [`\`${one.name}\``, one.kind, one.about]),
        ),
    ]),
  ),
  ...Object.fromEntries(
    CLASSES.map((name) => [
      name,
      () =>
        table(
          ['member', 'what it does'],
          membersOf(exportsOf(publicModules.foray!).find((one) => one.name === name)!).map((member) => [
            `\`${member.name}\``,
            member.about,
          ]),
        ),
    ]),
  ),
};

if (import.meta.main) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), tables));
