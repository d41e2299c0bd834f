// A FUSE file system in plain Node: one empty folder, until `hang` comes on stdin; then every question stays without an answer. Argument: where.
import { openSync, read, writeSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const INIT = 26;
const GETATTR = 3;
const STATFS = 17;
/** They have no answer. */
const FORGET = new Set([2, 42]);
const INTERRUPT = 36;
const ENOENT = -2;
const LOOKUP = 1;
const ENOSYS = -38;

const fuse = openSync('/dev/fuse', 'r+');
const options = `fd=3,rootmode=40000,user_id=${process.getuid()},group_id=${process.getgid()},allow_other`;
const mounted = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'hangs', process.argv[2]], {
  stdio: ['ignore', 'ignore', 'inherit', fuse],
});
if (mounted.status !== 0) process.exit(1);

let hangs = false;
process.stdin.on('data', () => {
  hangs = true;
  process.stdout.write('hanging\n');
});
// Whoever started us is gone: nothing may hang for ever.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));

const question = Buffer.alloc(256 * 1024);
next();

function next() {
  read(fuse, question, 0, question.length, null, (error) => {
    if (error?.code === 'ENODEV') process.exit(0);
    if (!error) answer(question.readUInt32LE(4), question.readBigUInt64LE(8));
    next();
  });
}

function answer(kind, id) {
  if (kind === INIT) return (reply(id, 0, initBody()), void process.stdout.write('ready\n'));
  if (hangs || FORGET.has(kind) || kind === INTERRUPT) return;
  if (kind === GETATTR) reply(id, 0, folderBody());
  else if (kind === STATFS) reply(id, 0, Buffer.alloc(80));
  else reply(id, kind === LOOKUP ? ENOENT : ENOSYS);
}

function reply(id, error, body = Buffer.alloc(0)) {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(16 + body.length, 0);
  head.writeInt32LE(error, 4);
  head.writeBigUInt64LE(id, 8);
  writeSync(fuse, Buffer.concat([head, body]));
}

/** Version 7.31, with the sizes that the kernel proposes at most. */
function initBody() {
  const body = Buffer.alloc(64);
  body.writeUInt32LE(7, 0);
  body.writeUInt32LE(31, 4);
  body.writeUInt32LE(65_536, 8);
  body.writeUInt16LE(12, 16);
  body.writeUInt16LE(10, 18);
  body.writeUInt32LE(65_536, 20);
  return body;
}

/** Valid for no time: each look is a question. */
function folderBody() {
  const body = Buffer.alloc(104);
  body.writeBigUInt64LE(1n, 16);
  body.writeUInt32LE(0o40755, 16 + 60);
  body.writeUInt32LE(2, 16 + 64);
  return body;
}
