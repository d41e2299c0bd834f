import { fileURLToPath } from 'node:url';
import { runCases } from '../support/run-cases';

const code = await runCases({ name: 'faults', casesFolder: fileURLToPath(new URL('./cases', import.meta.url)) });
// A case may leave a timer or socket behind; the figures are complete, so nothing is waited for.
process.exit(code);
