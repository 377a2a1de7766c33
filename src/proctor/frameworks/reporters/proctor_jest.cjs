// Reports a run of Jest (29 and newer) to Proctor. Lives in the main process; the tests run there or in workers.
'use strict';

const fs = require('node:fs');
const { Report, clean, placeIn, plain, show, wishes } = require('./proctor_channel.cjs');

class Reporter {
  constructor(globalConfig) {
    this.config = globalConfig;
    this.report = new Report('Jest', versionOf(globalConfig.rootDir));
    this.report.explain = () => this.whyNotZero();
    this.wanted = new Set(wishes().tests ?? []);
    this.files = new Map();
    this.deselected = 0;
    this.expected = 0;
    this.blamed = 0;
    this.obsolete = 0;
  }

  getLastError() {} // Jest asks; what is wrong is told on the channel

  onRunStart() {
    this.report.running = true;
  }

  onTestFileStart(test) {
    this.files.set(test.path, { started: new Map(), written: new Map(), retries: usesRetries(test) });
  }

  onTestCaseStart(test, info) {
    const file = this.files.get(test.path);
    const key = keyOf(info);
    if (!file || info.mode === 'skip' || info.mode === 'todo' || this.isDeselected(info)) return;
    const open = file.started.get(key) ?? [];
    if (file.retries && open.length) return; // another try: its result says the how manyth it was
    file.started.set(key, [...open, this.begin(test, info, 1)]);
  }

  onTestCaseResult(test, result) {
    const file = this.files.get(test.path);
    // Where tests are tried again, a failure is one only when the file is at its end.
    if (file && !(file.retries && result.status === 'failed')) this.write(test, file, result);
  }

  onTestFileResult(test, result) {
    const file = this.files.get(test.path) ?? { started: new Map(), written: new Map() };
    for (const one of result.testResults) {
      const told = file.written.get(keyOf(one))?.shift();
      if (told === undefined) this.write(test, file, one);
      else if (told !== one.status) this.changed(test, one);
    }
    if (result.testExecError) this.fileFailed(test, result, result.testExecError);
    this.files.delete(test.path);
  }

  // Jest blames a test for what happened after it had said that the test passed.
  changed(test, result) {
    this.blamed += 1;
    const error = errorOf(result);
    const [file, line] = placeIn(error.stack, this.report.root);
    this.report.problem('unhandled', `after ${[...result.ancestorTitles, result.title].join(' > ')} had passed: ${error.message}`, {
      file: file || test.path, line, trace: error.stack,
    });
  }

  onRunComplete(_, results) {
    if (results.runExecError) this.report.raised('internal', results.runExecError, { fatal: true });
    if (results.wasInterrupted) this.report.problem('stopped', 'Jest was interrupted');
    const left = results.numTotalTestSuites - results.numPassedTestSuites - results.numFailedTestSuites
      - results.numPendingTestSuites;
    if (left > 0 && !results.numFailedTests) this.report.problem('stopped', `${left} test files never ran`);
    for (const id of this.wanted) this.report.problem('usage', `there is no test ${id}`);
    this.obsolete = results.snapshot?.failure ? results.snapshot.unchecked + results.snapshot.filesRemoved : 0;
    if (this.deselected) this.report.collected(this.report.total, this.deselected);
    this.report.finish({
      total: results.numTotalTests - this.deselected,
      pass: results.numPassedTests - this.expected + this.blamed,
      fail: results.numFailedTests - this.blamed,
      skip: results.numPendingTests + results.numTodoTests + this.expected - this.deselected,
    });
  }

  write(test, file, result) {
    const key = keyOf(result);
    if (file.written.has(key)) file.written.get(key).push(result.status);
    else file.written.set(key, [result.status]);
    if (result.status === 'pending' && this.isDeselected(result)) {
      this.deselected += 1;
      return;
    }
    let number = file.started.get(key)?.shift() ?? this.begin(test, result, 1);
    const tries = result.invocations ?? 1;
    for (let tried = 1; tried < tries; tried++) {
      const error = { message: result.retryReasons?.[tried - 1] ?? 'it failed and was tried again' };
      this.report.end(number, 'fail', 0, { error, retried: true });
      number = this.begin(test, result, tried + 1);
    }
    const [status, detail] = outcome(result);
    if (detail === EXPECTED) this.expected += 1;
    const error = status === 'fail' ? errorOf(result) : undefined;
    this.report.end(number, status, (result.duration ?? 0) / 1000, { detail, error, line: result.location?.line });
  }

  begin(test, info, attempt) {
    const file = this.report.relative(test.path);
    const names = [...info.ancestorTitles, info.title];
    const project = test.context?.config?.displayName?.name;
    const id = `${file}::${project ? `[${project}] ` : ''}${names.join(' > ')}`;
    this.wanted.delete(id);
    return this.report.start({ id, name: names.join(' > '), file, line: info.location?.line, attempt });
  }

  // A test that the pattern left out is `pending` to Jest; it was not asked for.
  isDeselected(info) {
    const pattern = this.config.testNamePattern;
    return Boolean(pattern) && !new RegExp(pattern, 'i').test([...info.ancestorTitles, info.title].join(' '));
  }

  fileFailed(test, result, error) {
    const text = plain(result.failureMessage || error.message || String(error));
    const own = this.report.relative(test.path);
    const [named, line] = placeIn(error.stack || text, this.report.root);
    const at = new RegExp(`${escape(own)}:(\\d+)`).exec(text);
    const kind = kindOf(`${error.message ?? ''}\n${text}`);
    const fatal = !result.testResults.length && kind !== 'worker' && kind !== 'unhandled';
    const message = messageOf(error, text);
    this.report.problem(kind, message, {
      file: own, line: named === own ? line : Number(at?.[1] ?? 0), trace: text, fatal,
    });
  }

  whyNotZero() {
    const { collectCoverage, coverageThreshold } = this.config;
    if (this.obsolete) return `no test failed, but ${this.obsolete} snapshots are obsolete, which Jest does not let pass`;
    if (collectCoverage && coverageThreshold) {
      return `no test failed, but a coverage threshold was not met (${JSON.stringify(coverageThreshold)})`;
    }
    return 'no test failed, but Jest ended with an error';
  }
}

const EXPECTED = 'expected failure';

function outcome(result) {
  switch (result.status) {
    case 'passed': return result.failing ? ['skip', EXPECTED] : ['pass', ''];
    case 'failed': return ['fail', result.failing ? 'expected to fail, and passed' : ''];
    case 'todo': return ['skip', 'todo'];
    default: return ['skip', ''];
  }
}

function errorOf(result) {
  const trace = clean((result.failureMessages ?? []).join('\n'), 1024 * 1024);
  const first = result.failureDetails?.[0];
  const known = first?.matcherResult ?? first?.error?.matcherResult ?? first;
  const message = first?.message || first?.error?.message || trace.split('\n    at ')[0];
  const error = { message, stack: trace };
  if (known && typeof known === 'object' && ('expected' in known || 'actual' in known)) {
    error.expected = known.expected;
    error.actual = known.actual;
    error.operator = known.name ?? known.operator ?? '';
  }
  return error;
}

function keyOf({ ancestorTitles, title }) {
  return JSON.stringify([ancestorTitles, title]);
}

function kindOf(text) {
  if (/jest worker process|Call retries were exceeded/.test(text)) return 'worker';
  if (/must contain at least one test/.test(text)) return 'collection';
  if (/SyntaxError|unexpected token|Transform failed|error TS\d+/i.test(text)) return 'build';
  if (/Cannot find module|Could not locate module|does not provide an export/.test(text)) return 'import';
  return 'unhandled';
}

function messageOf(error, text) {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('●'));
  const telling = lines.find((line) => /^(?:[\w/.:-]+: )?\w*Error\b/.test(line));
  const own = plain(error.message ?? '').trim();
  return (own && !own.startsWith('Jest encountered') ? own : telling) || lines[0] || show(error);
}

// Only where a file or the set-up mentions it can a failed test be tried again.
function usesRetries(test) {
  const config = test.context?.config ?? {};
  return [test.path, ...(config.setupFilesAfterEnv ?? []), ...(config.setupFiles ?? [])].some((file) => {
    try {
      return fs.readFileSync(file, 'utf8').includes('retryTimes');
    } catch {
      return false;
    }
  });
}

function escape(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function versionOf(root) {
  try {
    return require(require.resolve('jest/package.json', { paths: [root, process.argv[1]] })).version;
  } catch {
    return '';
  }
}

module.exports = Reporter;
