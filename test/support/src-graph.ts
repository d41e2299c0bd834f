import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Who imports whom: `from` to a set of `to`. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The imports between the files of `src`, those of types too, and which files use Electron at run time. */
export async function importsOfFiles(): Promise<{ graph: Graph; unresolved: string[]; usesElectron: string[] }> {
  const tsConfig = 'tsconfig.test.json';
  const { output } = await cruise(
    ['src'],
    {
      baseDir: root,
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      tsConfig: { fileName: tsConfig },
    },
    {},
    { tsConfig: extractTSConfig(`${root}${tsConfig}`) },
  );
  const { modules } = output as ICruiseResult;
  const graph = new Map<string, Set<string>>();
  const unresolved: string[] = [];
  const usesElectron: string[] = [];
  for (const { source, dependencies } of modules) {
    if (!source.startsWith('src/')) continue;
    const targets = dependencies.map(({ resolved }) => resolved).filter((file) => file.startsWith('src/'));
    graph.set(source, new Set(targets.filter((file) => file !== source)));
    for (const { module, couldNotResolve, dependencyTypes } of dependencies) {
      if (couldNotResolve && /^(\.|@shared)/.test(module)) unresolved.push(`${source}: ${module}`);
      if (module === 'electron' && !dependencyTypes.includes('type-only')) usesElectron.push(source);
    }
  }
  return { graph, unresolved, usesElectron };
}

/** The same between folders. A file that nobody imports starts a program: it stands above all folders and counts in none. */
export function importsOfFolders(files: Graph): Graph {
  const imported = new Set([...files.values()].flatMap((targets) => [...targets]));
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    if (!imported.has(file)) continue;
    const folder = dirname(file);
    const others = graph.get(folder) ?? new Set<string>();
    for (const target of targets) if (dirname(target) !== folder) others.add(dirname(target));
    graph.set(folder, others);
  }
  return graph;
}

/** One way round for each place that has one, as `a > b > a`; none in a graph without cycles. */
export function cyclesOf(graph: Graph): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const start = path.indexOf(node);
    if (start >= 0) found.push([...path.slice(start), node].join(' > '));
    if (start >= 0 || done.has(node)) return;
    path.push(node);
    for (const target of graph.get(node) ?? []) visit(target);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return found;
}
