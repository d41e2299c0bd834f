// What the parts of `npm test` report, counted alike: `{passed, failures: [name], skips: [{name, reason}], again: [name]}`, where
// `again` are tests that passed at their second try (docs/decisions/0015-second-try.md). A part that
// ended badly without naming a failure counts as one, so that a crash can't look like success.

function tally(part, code, passed, failures, skips = [], again = []) {
  const isUnexplained = code !== 0 && failures.length === 0;
  return { passed, failures: isUnexplained ? [`${part} ended with exit code ${code}`] : failures, skips, again };
}

/** A part that only passes or fails as a whole. */
export function countCommand(part, code) {
  return code === 0 ? tally(part, 0, 1, []) : tally(part, code, 0, [part]);
}

/** A part that can't be run here. */
export function countMissing(name, reason) {
  return tally(name, 0, 0, [], [{ name, reason }]);
}

/** Vitest's JSON report; a test file that could not be loaded counts as one failure. */
export function countVitest(code, report, reasons) {
  if (report === null) return tally('vitest', 1, 0, ['vitest wrote no report']);
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  const failures = [
    ...tests.filter((test) => test.status === 'failed').map((test) => test.fullName),
    ...unloaded.map((file) => file.name),
  ];
  const known = new Map((reasons ?? []).map(({ name, reason }) => [name.replaceAll(' > ', ' '), reason]));
  const skips = tests
    .filter((test) => test.status !== 'failed' && test.status !== 'passed')
    .map(({ fullName, status }) => ({ name: fullName, reason: known.get(fullName) || status }));
  return tally('vitest', code, tests.filter((test) => test.status === 'passed').length, failures, skips);
}

/** The list of figures that fault runs and benches write. */
export function countFigures(part, code, figures) {
  if (figures === null) return tally(part, 1, 0, [`${part} wrote no report`]);
  const failures = figures.filter((figure) => !figure.pass).map((figure) => `${figure.name}: ${figure.note}`);
  return tally(part, code, figures.length - failures.length, failures);
}

/** Playwright's JSON report. */
export function countPlaywright(code, report) {
  if (report === null) return tally('playwright', 1, 0, ['playwright wrote no report']);
  const specs = report.suites.flatMap(function collect(suite) {
    return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(collect)];
  });
  // Which project it ran in, where that is not the app in Electron.
  const nameOf = (spec, { projectName }) =>
    `${spec.file}: ${spec.title}${!projectName || projectName === 'electron' ? '' : ` (${projectName})`}`;
  const tests = specs.flatMap((spec) => spec.tests.map((test) => ({ ...test, name: nameOf(spec, test) })));
  const failures = [
    ...tests.filter((test) => test.status === 'unexpected').map((test) => test.name),
    ...report.errors.map((error) => error.message ?? 'an error outside the tests'),
  ];
  const skips = tests
    .filter((test) => test.status === 'skipped')
    .map(({ name, annotations }) => {
      const note = annotations.find(({ type }) => type === 'skip' || type === 'fixme');
      return { name, reason: note ? note.description : 'a test before it failed' };
    });
  const again = tests.filter((test) => test.status === 'flaky').map((test) => test.name);
  const passed = tests.filter((test) => test.status === 'expected').length + again.length;
  return tally('playwright', code, passed, failures, skips, again);
}

/** All parts together. */
export function total(tallies) {
  const failures = tallies.flatMap((part) => part.failures);
  const passed = tallies.reduce((sum, part) => sum + part.passed, 0);
  const [skips, again] = [tallies.flatMap((part) => part.skips), tallies.flatMap((part) => part.again)];
  return { passed, failed: failures.length, failures, skips, again };
}
