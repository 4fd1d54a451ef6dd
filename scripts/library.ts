/**
 * The tables of docs/library.md, from the modules that the package exports and their comments. `npm run reference` writes them into
 * the file, between `<!-- generated: NAME -->` and `<!-- end -->`; a test looks that they are there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { publicModules } from '../src/own-files.ts';
import { table, withTables } from './table.ts';

const PAGE = join(import.meta.dirname, '../docs/library.md');

/** Classes of `foray` whose members have a table of their own. */
const CLASSES = ['Foray', 'OutputFiles'];

/** What a module exports, and what its comment says: the first sentence; empty where it has none. */
export interface Exported {
  name: string;
  kind: 'function' | 'class' | 'type' | 'value';
  about: string;
  node: ts.Node;
}

/** What a module exports, by name. */
export function exportsOf(file: string): Exported[] {
  return ts
    .createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    .statements.flatMap((statement) => exportsBy(file, statement))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function exportsBy(file: string, statement: ts.Statement): Exported[] {
  if (ts.isExportDeclaration(statement)) {
    const { moduleSpecifier, exportClause } = statement;
    // a name that this module has imported or declared
    if (!moduleSpecifier) return exportClause ? localExports(file, exportClause as ts.NamedExports) : [];
    const others = exportsOf(resolve(file, '..', (moduleSpecifier as ts.StringLiteral).text));
    if (!exportClause) return others;
    return namesOf(exportClause as ts.NamedExports).map((name) =>
      others.find((other) => other.name === name)!,
    );
  }
  const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
  return isExported ? [declared(statement)] : [];
}

function localExports(file: string, clause: ts.NamedExports): Exported[] {
  const source = clause.getSourceFile();
  return namesOf(clause).map((name) => {
    const origin = source.statements.find(
      (other) => ts.isImportDeclaration(other) && other.importClause?.getText().includes(name),
    ) as ts.ImportDeclaration;
    const from = resolve(file, '..', (origin.moduleSpecifier as ts.StringLiteral).text);
    return exportsOf(from).find((other) => other.name === name)!;
  });
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

/** The members of a class that are public. */
export function membersOf({ node }: Exported): { name: string; about: string }[] {
  return (node as ts.ClassDeclaration).members
    .filter(
      (member) =>
        !ts.isConstructorDeclaration(member) &&
        !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) &&
        !(member.name && ts.isPrivateIdentifier(member.name)),
    )
    .map((member) => ({ name: member.name!.getText(), about: aboutOf(member) }));
}

/** The first sentence of a comment, on one line and without links. */
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
