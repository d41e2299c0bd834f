import { createInterface } from 'node:readline';
import { hostileCases } from './hostile-cases';
import { startModelServer } from './server';

/** A model server in a process of its own, so that its memory is not counted: prints its address, reads case numbers. */
const server = await startModelServer();
console.log(server.url);
for await (const line of createInterface({ input: process.stdin })) {
  const hostile = hostileCases[Number(line)];
  if (!hostile) throw new Error(`No hostile case ${line}`);
  server.script(hostile.reply);
  console.log(`ready ${line}`);
}
await server.close();
