import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENDINGS = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'];

interface Import {
  file: string;
  names: readonly string[];
}

/** A source file of the app as far as imports go. Paths are relative to the repository. */
interface Source {
  imports: Import[];
  /** Exported names. */
  exports: Set<string>;
  /** Methods and fields of its classes. */
  members: Set<string>;
  /** What it takes of objects: `object.name`, or `name` in a pattern. */
  takes: Set<string>;
}

/** Stands for every name of a file. */
const ALL = '*';

const sources = new Map<string, Source>();

/** Every file that is run when an entry is: what it imports, by whatever kind of import but one of types, and so on. */
export function reachableFrom(entry: string): Set<string> {
  const seen = new Set([entry]);
  for (const file of seen) for (const next of sourceOf(file).imports) seen.add(next.file);
  return seen;
}

/**
 * Whether anything that is run when an entry is names an export of a file, or takes all of the file; of `Name.member` also whether
 * the member is taken of some object outside the file.
 */
export function isUsedFrom(entry: string, file: string, name: string): boolean {
  const [exported = '', member] = name.split('.');
  const others = [...reachableFrom(entry)].filter((other) => other !== file);
  const isNamed = (one: Import): boolean =>
    one.file === file && (one.names.includes(exported) || one.names.includes(ALL));
  return (
    others.some((from) => sourceOf(from).imports.some(isNamed)) &&
    (member === undefined || others.some((from) => sourceOf(from).takes.has(member)))
  );
}

/**
 * Whether a file exports a function, class or value of this name. `Name.member`: and one of its classes has the member; a class
 * behind an interface goes by the function that makes it.
 */
export function exportsName(file: string, name: string): boolean {
  const [exported = '', member] = name.split('.');
  if (!existsSync(join(ROOT, file))) return false;
  const { exports, members } = sourceOf(file);
  return exports.has(exported) && (member === undefined || members.has(member));
}

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known) return known;
  const read = readSource(file);
  sources.set(file, read);
  return read;
}

function readSource(file: string): Source {
  const tree = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const source: Source = {
    imports: [],
    exports: new Set(tree.statements.flatMap(namesOf)),
    members: new Set(),
    takes: new Set(),
  };
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    const found = specifier ? resolve(file, specifier.text) : null;
    if (found !== null) source.imports.push({ file: found, names: importedNames(node) });
    if (ts.isClassLike(node)) for (const { name } of node.members) if (name) source.members.add(name.getText());
    if (ts.isPropertyAccessExpression(node)) source.takes.add(node.name.text);
    if (ts.isBindingElement(node)) source.takes.add((node.propertyName ?? node.name).getText());
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return source;
}

/** What a statement or call loads: an import that is not of types alone, `import()`, or the `new URL` of a worker. */
function specifierOf(node: ts.Node): ts.StringLiteral | null {
  if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly ? null : literal(node.moduleSpecifier);
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? null : literal(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return literal(node.arguments[0]);
  if (ts.isNewExpression(node) && node.expression.getText() === 'URL') return literal(node.arguments?.[0]);
  return null;
}

function importedNames(node: ts.Node): string[] {
  if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause))
    return node.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined;
  if (bindings && ts.isNamedImports(bindings)) {
    const values = bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly);
    return values.map(({ name, propertyName }) => (propertyName ?? name).text);
  }
  return [ALL];
}

function literal(node: ts.Node | undefined): ts.StringLiteral | null {
  return node && ts.isStringLiteral(node) ? node : null;
}

/** Null for packages, styles, texts and the like. */
function resolve(from: string, specifier: string): string | null {
  const [path = ''] = specifier.split('?');
  const base = path.startsWith('@shared/')
    ? path.replace('@shared', 'src/shared')
    : path.startsWith('.')
      ? join(dirname(from), path)
      : null;
  if (base === null) return null;
  const found = ENDINGS.map((ending) => base + ending).find(
    (file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)),
  );
  return found ? relative(ROOT, normalize(join(ROOT, found))) : null;
}

function namesOf(statement: ts.Statement): string[] {
  const isExported = ts.canHaveModifiers(statement)
    ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : false;
  if (!isExported) return [];
  if (ts.isFunctionDeclaration(statement)) return statement.name ? [statement.name.text] : [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return ts.isClassDeclaration(statement) && statement.name ? [statement.name.text] : [];
}
