import { parentPort, workerData } from 'node:worker_threads';
import { nodeFs } from '../journal/file/fs';
import { SessionFiles } from '../journal/file/session-files';
import type { SearchCommand, SearchReport } from './search-service';
import { SearchEngine } from './search-engine';

/** Milliseconds that a question waits for what was just appended. */
const WAIT_MS = 150;

/** The thread's side of the search: the index, and what is asked of it. */
function serve(port: NonNullable<typeof parentPort>): void {
  const { file, sessionsDir } = workerData as { file: string; sessionsDir: string };
  const engine = new SearchEngine({ file, files: new SessionFiles(sessionsDir), fs: nodeFs });
  const starting = engine.start();

  async function answerTo(command: Extract<SearchCommand, { call: number }>): Promise<unknown> {
    if (command.type === 'close') return engine.close();
    await starting;
    await Promise.race([engine.settled(), new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
    switch (command.type) {
      case 'all':
        return engine.ask((finder) => finder.all(command.wanted));
      case 'inSession':
        return engine.ask((finder) => finder.inSession(command.sessionId, command.asked, command.lines));
      case 'inTree':
        return engine.ask((finder) => finder.inTree(command.sessionId, command.query));
      case 'excerpts':
        return engine.ask((finder) => finder.excerpts(command.sessionId, command.query, command.hits));
    }
  }

  port.on('message', (command: SearchCommand) => {
    if (command.type === 'touch') return engine.touch(command.sessionId);
    if (command.type === 'drop') return engine.drop(command.sessionId);
    const { call } = command;
    answerTo(command).then(
      (answer) => port.postMessage({ call, answer } satisfies SearchReport),
      (error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        port.postMessage({ call, error: text } satisfies SearchReport);
      },
    );
  });
}

if (parentPort) serve(parentPort);
