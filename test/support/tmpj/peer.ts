import { loadPeer } from '../../bench/peer';
import { sessionFile } from '../../bench/sessions';
console.log((await loadPeer()).version);
console.log(await sessionFile({ entries: 50_000 }), await sessionFile({ entries: 50_000, compactEvery: 400 }));
