import { afterManyTurns, moveWithFault } from '../journal-faults';
import { MemoryFs } from '../memory-fs';
import { FailingFs } from '../failing-fs';
const orig = (FailingFs.prototype as any).count;
(FailingFs.prototype as any).count = function (w: boolean) { try { return orig.call(this, w); } catch (e) { console.log(new Error('x').stack); throw e; } };
const o = await moveWithFault({ fs: new MemoryFs(), home: '/home', late: afterManyTurns }, { at: 43, kind: 'EIO' });
console.log(JSON.stringify(o));
