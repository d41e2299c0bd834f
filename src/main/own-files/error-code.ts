/** The error code of a failed file operation (`ENOSPC`), or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** For `catch`: null where there is no such file. */
export function unlessMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
