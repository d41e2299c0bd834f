/** Prints one line of set-up progress. */
export function say(line) {
  process.stdout.write(`· ${line}\n`);
}

/** A set-up step that cannot go on. The message says what happened and what to do; no stack is shown. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** Runs a script's main function: the exit code is its result, a SetupError becomes its plain message. */
export async function main(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    console.error(error instanceof SetupError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
