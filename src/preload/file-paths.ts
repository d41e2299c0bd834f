import { webUtils } from 'electron';

/**
 * Before Electron 29, which the development runtime is, a file tells its path by a getter of its class. Taken from this world's own
 * class before the page runs: called on anything but a real file it throws, whatever `path` the page has put on that.
 */
const legacyPath = Object.getOwnPropertyDescriptor(File.prototype, 'path')?.get;

/** Where a file that the person gave lies; empty for what has no path, was made by script or is no file. */
export function pathOfFile(file: unknown): string {
  try {
    const path: unknown = webUtils?.getPathForFile ? webUtils.getPathForFile(file as File) : legacyPath?.call(file);
    return typeof path === 'string' ? path : '';
  } catch {
    return '';
  }
}
