import { afterManyTurns, moveWithFault, FAULT_KINDS } from '../journal-faults';
import { MemoryFs } from '../memory-fs';
const place = () => ({ fs: new MemoryFs(), home: '/home', late: afterManyTurns });
const { calls } = await moveWithFault(place(), null);
console.log(calls);
for (const fault of FAULT_KINDS) for (let at = 1; at <= calls; at++) {
  const o = await moveWithFault(place(), { at, ...fault }).catch((e) => ({ threw: e as Error }));
  if ('threw' in o) { console.log(JSON.stringify(fault), at, 'THREW', o.threw.stack?.split('\n').slice(0, 8).join('\n')); continue; }
  if (o.lost || o.hung || o.duplicated || o.unexplained.length || o.notShownAsFull.length) console.log(JSON.stringify(fault), at, JSON.stringify(o));
}
