import { capture } from './run.mjs';
import { SetupError, say } from './say.mjs';

const AUDIT_TIMEOUT_MS = 60_000;
/** What stops a release. */
const STOPS = ['high', 'critical'];

/**
 * What npm's answer about known vulnerabilities of the shipped packages comes to.
 * @param text what `npm audit --json` printed
 * @returns `unknown` where the registry does not answer that question
 */
export function readAudit(text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return { kind: 'unknown', reason: 'npm gave no report' };
  }
  const counts = report?.metadata?.vulnerabilities;
  if (typeof counts !== 'object' || counts === null)
    return { kind: 'unknown', reason: String(report?.message ?? report?.error?.summary ?? 'npm gave no report') };
  const found = Object.values(report.vulnerabilities ?? {}).map(({ name, severity }) => ({ name, severity }));
  const stops = found.filter(({ severity }) => STOPS.includes(severity));
  return { kind: stops.length > 0 ? 'stops' : 'passes', found, stops };
}

/**
 * Asks for known vulnerabilities of what is shipped. Those that are high or critical stop a release; where nobody answers, the
 * release has to be checked elsewhere, and this says so.
 * @throws SetupError
 */
export async function auditShipped({ isRequired }) {
  const { stdout } = await capture('npm', ['audit', '--omit=dev', '--json'], { timeoutMs: AUDIT_TIMEOUT_MS });
  const result = readAudit(stdout);
  if (result.kind === 'unknown') {
    const words = `known vulnerabilities were not looked up (${result.reason})`;
    if (isRequired) throw new SetupError(`${words}. Run this where the npm registry answers "npm audit".`);
    return say(`${words}: look them up before this is given to anybody`);
  }
  const list = (items) => items.map(({ name, severity }) => `${name} (${severity})`).join(', ');
  if (result.kind === 'stops')
    throw new SetupError(
      `Shipped packages have known vulnerabilities: ${list(result.stops)}. Run npm audit for what to do.`,
    );
  say(`known vulnerabilities of shipped packages: ${result.found.length === 0 ? 'none' : list(result.found)}`);
}
