/** An operation named an entry that the session does not have. */
export class EntryNotFoundError extends Error {
  override readonly name = 'EntryNotFoundError';
  constructor(readonly entryId: string) {
    super(`Entry ${entryId} not found`);
  }
}

/** The first record of a file is not a session header. The file is left as it is (SF17). */
export class NotASessionFileError extends Error {
  override readonly name = 'NotASessionFileError';
  constructor(readonly fileName: string) {
    super(`Not a session file: ${fileName}`);
  }
}

/** A context needs bodies that are not in memory. Whoever holds the file loads them with `setBody` and asks again. */
export class MissingBodiesError extends Error {
  override readonly name = 'MissingBodiesError';
  constructor(readonly ids: string[]) {
    super(`${ids.length} entry bodies are not in memory`);
  }
}
