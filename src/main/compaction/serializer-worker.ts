import { parentPort } from 'node:worker_threads';
import { activityOfLines, Conversation, filesOfLine } from './conversation';
import type { SerializerCommand, SerializerReport } from './serializer';

/** The worker's side: holds the conversations of running jobs. */
const jobs = new Map<number, Conversation>();

function carryOut(command: SerializerCommand): SerializerReport | null {
  switch (command.type) {
    case 'begin':
      jobs.set(command.job, new Conversation(command.options));
      return null;
    case 'activity':
      return { call: command.call, activity: activityOfLines(command.lines) };
    case 'end':
      jobs.delete(command.job);
      return null;
    case 'add':
      jobs.get(command.job)?.add(command.section, command.lines);
      return { call: command.call };
    case 'texts':
      return { call: command.call, texts: jobs.get(command.job)?.texts(command.budget) };
    case 'files':
      return { call: command.call, files: command.lines.map(filesOfLine) };
  }
}

parentPort?.on('message', (command: SerializerCommand) => {
  try {
    const report = carryOut(command);
    if (report) parentPort?.postMessage(report);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if ('call' in command) parentPort?.postMessage({ call: command.call, error: text } satisfies SerializerReport);
  }
});
