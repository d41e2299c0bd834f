import { devDependencies } from '../../package.json';

/** The major version of Electron that the app ships with. */
const PINNED = majorOf(devDependencies.electron);

/** Whether this Electron is older than the one that the app ships with: with its browser's gaps, for development only. */
export function isDevelopmentRuntime(version: string, shipped = PINNED): boolean {
  return majorOf(version) < shipped;
}

function majorOf(version: string): number {
  return Number(/\d+/.exec(version)?.[0] ?? Number.NaN);
}
