// Reports a run of Mocha (10 and newer) to Proctor. Given to it as `--require`, so that it sees what cannot be
// loaded, and again as `--reporter`. The tests run in its process, or in workers that know no channel.
'use strict';

const { Report, placeIn, wishes } = require('./proctor_channel.cjs');

const LINE = Symbol('line');
const Mocha = findMocha();
const report = Mocha && process.env.PROCTOR_CHANNEL ? new Report('Mocha', Mocha.prototype.version) : null;
const wanted = new Set(wishes().tests ?? []);

class Reporter {
  constructor(runner, options) {
    new Mocha.reporters.Spec(runner, options); // for people: what Mocha prints is kept as the run's output
    this.runner = runner;
    this.numbers = new Map();
    this.ended = new WeakSet();
    this.outside = 0;
    if (!report) return;
    report.running = true;
    runner.once('start', () => this.start());
    runner.on('test', (test) => this.begin(test));
    runner.on('pass', (test) => this.end(test, 'pass'));
    runner.on('pending', (test) => this.end(test, 'skip'));
    runner.on('retry', (test, error) => this.end(test, 'fail', { error: asError(error), retried: true }));
    runner.on('fail', (test, error) => this.fail(test, asError(error)));
    const tellRejections = this.watchRejections();
    runner.once('end', () => {
      tellRejections();
      this.finish();
    });
  }

  // Only now is it known which tests are left when one is singled out.
  start() {
    const total = this.runner.grepTotal(this.runner.suite);
    report.collected(total, Math.max(0, this.runner.suite.total() - total));
  }

  // Mocha lets a rejected promise pass that nobody waits for; one that is handled later is no error.
  watchRejections() {
    const pending = new Map();
    const take = (reason, promise) => {
      const others = process.listeners('unhandledRejection').filter((one) => one !== take && one !== this.runner.unhandled);
      if (!others.length) pending.set(promise, reason);
    };
    const forget = (promise) => pending.delete(promise);
    process.on('unhandledRejection', take).on('rejectionHandled', forget);
    return () => {
      process.removeListener('unhandledRejection', take).removeListener('rejectionHandled', forget);
      for (const reason of pending.values()) report.raised('unhandled', asError(reason));
    };
  }

  begin(test) {
    const names = test.titlePath();
    const file = report.relative(test.file ?? fileOf(test));
    const id = `${file}::${names.join(' > ')}`;
    wanted.delete(id);
    const attempt = (test._currentRetry ?? 0) + 1;
    const number = report.start({ id, name: names.join(' > '), file, line: test[LINE], attempt });
    this.numbers.set(test, number);
    return number;
  }

  end(test, status, more = {}) {
    const number = this.numbers.get(test) ?? this.begin(test);
    this.numbers.delete(test);
    this.ended.add(test);
    report.end(number, status, (test.duration ?? 0) / 1000, more);
  }

  fail(test, error) {
    if (test.type === 'hook') this.hookFailed(test, error);
    else if (!this.ended.has(test)) this.end(test, 'fail', { error });
    else {
      this.outside += 1;
      report.raised('unhandled', error, { file: test.file });
    }
  }

  // A hook around each test takes the test down that it was for; one around a suite, all that follow in it.
  hookFailed(hook, error) {
    const test = hook.ctx?.currentTest;
    if (/before each/.test(hook.title) && test && !this.ended.has(test)) {
      this.end(test, 'error', { error, detail: hook.title });
      return;
    }
    this.outside += 1;
    const name = hook.titlePath ? hook.titlePath().join(' > ') : hook.title;
    const place = placeIn(error.stack, report.root);
    const file = hook.file ?? fileOf(hook);
    report.problem(/^"after/.test(hook.title) ? 'teardown' : 'setup', `${name}: ${error.message}`, {
      file: file || place[0], line: !file || report.relative(file) === place[0] ? place[1] : 0, trace: error.stack,
    });
  }

  finish() {
    const { passes, pending, failures } = this.runner.stats;
    for (const id of wanted) report.problem('usage', `there is no test ${id}`);
    report.finish({ pass: passes, skip: pending, total: passes + pending + failures - this.outside });
  }
}

function asError(error) {
  return error && typeof error === 'object' ? error : { name: 'Error', message: String(error), stack: '' };
}

function fileOf(test) {
  for (let one = test.parent; one; one = one.parent) if (one.file) return one.file;
  return '';
}

// Mocha prints an error of a file that it loads, and ends: tell of it first, with the file's name.
function watchLoading() {
  for (const name of ['loadFiles', 'loadFilesAsync']) {
    const load = Mocha.prototype[name];
    Mocha.prototype[name] = function (...given) {
      report.running = true;
      let current = '';
      this.suite.on('pre-require', (_, file) => { current = file; });
      try {
        const loaded = load.apply(this, given);
        return loaded?.catch ? loaded.catch((error) => refuse(error, current)) : loaded;
      } catch (error) {
        return refuse(error, current);
      }
    };
  }
}

function refuse(error, file) {
  const kind = error instanceof SyntaxError ? 'build' : 'import';
  const [named, line] = placeIn(error?.stack, report.root);
  const first = /^(?:SyntaxError\[ @)?(\/[^:\n\]]+):(\d+)/.exec(String(error?.stack ?? ''));
  const place = first ? { file: first[1], line: Number(first[2]) } : { file: file || named, line: report.relative(file) === named ? line : 0 };
  report.raised(kind, error, { ...place, fatal: true });
  report.running = false;
  throw error;
}

// Mocha knows the file of a test, not its line: the call that adds the test does.
function noteLines() {
  const add = Mocha.Suite.prototype.addTest;
  Mocha.Suite.prototype.addTest = function (test) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 8;
    const frames = new Error().stack.split('\n');
    Error.stackTraceLimit = limit;
    const own = frames.find((frame) => test.file && frame.includes(test.file));
    test[LINE] = Number(/:(\d+):\d+\)?$/.exec(own ?? '')?.[1] ?? 0);
    return add.call(this, test);
  };
  const clone = Mocha.Test.prototype.clone;
  Mocha.Test.prototype.clone = function () {
    return Object.assign(clone.call(this), { [LINE]: this[LINE] });
  };
}

// Finds the Mocha that loads this file: it is in memory already.
function findMocha() {
  const file = Object.keys(require.cache).find((name) => /\/mocha\/lib\/mocha\.c?js$/.test(name));
  return file && require.cache[file].exports;
}

if (report) {
  watchLoading();
  noteLines();
}

module.exports = Reporter;
