// Reports a run of Vitest (3 and newer) to Proctor. Lives in the main process; the tests run in workers.
import { createRequire } from 'node:module';

const { Report, placeIn, wishes } = createRequire(import.meta.url)('./proctor_channel.cjs');
const KEPT = 1024 * 1024;
const CRASH = /^(?:\[?vitest-pool\]?:? ?|Worker |Error: Worker ).*(?:exited|terminated|crash|emitted error|Timeout|timed out)/i;
const TERMINATED = /Channel closed|worker.*(?:exited|terminated)|Worker forks emitted error|Timeout (?:starting|waiting)/i;

export default class Reporter {
  onInit(vitest) {
    this.vitest = vitest;
    this.report = new Report('Vitest', vitest.version);
    this.report.explain = () => this.whyNotZero();
    this.wanted = new Set(wishes().tests ?? []);
    this.started = new Map();
    this.printed = new Map();
    this.told = new Set();
    this.deselected = 0;
  }

  onTestRunStart() {
    this.report.running = true;
  }

  onTestModuleCollected(module) {
    const tests = [...module.children.allTests()];
    const left = tests.filter((test) => !this.isDeselected(test)).length;
    this.deselected += tests.length - left;
    this.report.collected(left, tests.length - left);
  }

  onUserConsoleLog(log) {
    if (!log.taskId) return;
    this.printed.set(log.taskId, ((this.printed.get(log.taskId) ?? '') + log.content).slice(-KEPT));
  }

  onTestCaseReady(test) {
    if (!this.isDeselected(test)) this.started.set(test.id, this.begin(test, 1));
  }

  onTestCaseResult(test) {
    if (this.isDeselected(test)) return;
    const result = test.result();
    const known = test.diagnostic();
    const errors = result.errors ?? [];
    let number = this.started.get(test.id) ?? this.begin(test, 1);
    this.started.delete(test.id);
    for (let tried = 1; tried <= (known?.retryCount ?? 0); tried++) {
      this.report.end(number, 'fail', 0, { error: errors[tried - 1], retried: true });
      number = this.begin(test, tried + 1);
    }
    const [status, detail] = outcome(test, result);
    this.report.end(number, status, (known?.duration ?? 0) / 1000, {
      detail,
      out: this.printed.get(test.id),
      error: status === 'fail' ? errors.at(-1) : undefined,
    });
    this.printed.delete(test.id);
  }

  onTestModuleEnd(module) {
    this.tellErrors(module);
  }

  // What went wrong in a file but in none of its tests: an import, a hook around a suite. Vitest 3 may know it
  // only when the run is at its end.
  tellErrors(module) {
    const empty = !module.children.size;
    for (const error of module.errors()) {
      const kind = empty ? (/No test suite found/.test(error.message) ? 'collection' : 'import') : 'setup';
      this.tellOnce(kind, error, module.moduleId, empty);
    }
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors()) this.tellOnce('setup', error, module.moduleId, false);
    }
  }

  tellOnce(kind, error, file, fatal) {
    const key = `${file}\n${error.message}\n${error.stack}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.report.raised(kind, error, { ...this.placeOf(error, file), fatal });
  }

  onTestRunEnd(modules, unhandled, reason) {
    for (const error of unhandled) {
      const text = `${error.message ?? error}`;
      const kind = CRASH.test(text) || TERMINATED.test(text) ? 'worker' : 'unhandled';
      this.report.raised(kind, error, this.placeOf(error, error.VITEST_TEST_PATH));
    }
    if (reason === 'interrupted') this.report.problem('stopped', 'Vitest was interrupted');
    for (const id of this.wanted) this.report.problem('usage', `there is no test ${id}`);
    for (const module of modules) {
      this.tellErrors(module);
      const state = module.state();
      if (state !== 'passed' && state !== 'failed' && state !== 'skipped') {
        this.report.problem('stopped', `${this.report.relative(module.moduleId)} never came to its end`, { file: module.moduleId });
      }
    }
    this.report.finish(this.count(modules));
  }

  count(modules) {
    const counts = { total: 0, pass: 0, fail: 0, skip: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'pending' || this.isDeselected(test)) continue;
        counts.total += 1;
        counts[outcome(test, result)[0]] += 1;
      }
    }
    return counts;
  }

  begin(test, attempt) {
    const file = this.report.relative(test.module.moduleId);
    const names = namesOf(test);
    const project = test.project?.name ? `[${test.project.name}] ` : '';
    const id = `${file}::${project}${names.join(' > ')}`;
    this.wanted.delete(id);
    return this.report.start({ id, name: names.join(' > '), file, line: test.location?.line, attempt });
  }

  // A test that the pattern left out is marked as skipped by Vitest; it was not asked for.
  isDeselected(test) {
    const pattern = this.vitest.config.testNamePattern;
    return Boolean(pattern) && test.result().state !== 'passed' && test.result().state !== 'failed'
      && !new RegExp(pattern.source, pattern.flags.replace('g', '')).test(namesOf(test).join(' '));
  }

  placeOf(error, file) {
    const [named, line] = placeIn(error?.stack, this.report.root);
    const own = file ? this.report.relative(file) : '';
    return { file: own || named, line: !own || named === own ? line : 0 };
  }

  whyNotZero() {
    const thresholds = this.vitest.config.coverage?.enabled && this.vitest.config.coverage.thresholds;
    if (thresholds) return `no test failed, but a coverage threshold was not met (${JSON.stringify(thresholds)})`;
    return 'no test failed, but Vitest ended with an error';
  }
}

function namesOf(test) {
  const names = [];
  for (let one = test; one && one.type !== 'module'; one = one.parent) names.unshift(one.name);
  return names;
}

function outcome(test, result) {
  if (result.state === 'failed') return ['fail', test.options.fails ? 'expected to fail, and passed' : ''];
  if (test.options.mode === 'todo') return ['skip', 'todo'];
  if (result.state !== 'passed') return ['skip', result.note ?? ''];
  return test.options.fails ? ['skip', 'expected failure'] : ['pass', ''];
}
