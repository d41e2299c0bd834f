import { startModelServer } from '../support/model-server/server';

/** A model server in a process of its own, so that what it does holds nothing up that is measured: prints its address. */
const SUMMARY = `## Goal\nShip the parser.\n\n${'A fact that stays. '.repeat(60)}`;
void startModelServer().then((server) => {
  server.script({ text: SUMMARY });
  console.log(server.url);
  process.stdin.resume().once('end', () => void server.close());
});
