// Reports a run of `node --test` to Proctor. Lives in the process that starts one more for each test file.
import fs from 'node:fs';
import path from 'node:path';
import channel from './proctor_channel.cjs';
import beside from './proctor_node_test_file.cjs';

const { placeIn, plain, wishes } = channel;
const KEPT = 64 * 1024;
const FILTERED = 'test name does not match pattern';
const NUMBERS = /^(tests|pass|skipped|todo) (\d+)$/;

class Reporter {
  constructor() {
    this.report = beside.report;
    this.wanted = new Set(wishes().tests ?? []);
    this.filtered = process.execArgv.some((word) => word.startsWith('--test-name-pattern'));
    this.names = []; // of the tests that are being reported, from the outermost in
    this.files = new Map();
    this.sources = new Map();
    this.numbers = {};
    this.said = '';
    this.deselected = 0;
    this.filesFailed = 0;
    this.report.running = true;
  }

  take({ type, data }) {
    if (type === 'test:dequeue') this.dequeue(data);
    else if (type === 'test:start') this.names[data.nesting] = data.name;
    else if (type === 'test:pass' || type === 'test:fail') this.result(data, type === 'test:fail');
    else if (type === 'test:stderr') this.keep(this.file(data.file), data.message);
    else if (type === 'test:diagnostic') this.diagnostic(data);
  }

  file(name) {
    if (!this.files.has(name)) this.files.set(name, { children: 0, waiting: [], stderr: '' });
    return this.files.get(name);
  }

  keep(file, text) {
    file.stderr = (file.stderr + text).slice(-KEPT);
  }

  diagnostic(data) {
    const found = NUMBERS.exec(data.message);
    if (found && data.nesting === 0) this.numbers[found[1]] = Number(found[2]);
    else if (/^(?:Warning|Error): Test hook|^(?:Warning|Error): (?:A resource|Test )/.test(data.message)) {
      this.said = data.message; // comes before the result of the file that it is about
    }
  }

  // A test begins now; `test:start` comes only when it is its turn to be reported.
  dequeue(data) {
    if (isFile(data)) return;
    const { waiting } = this.file(data.file);
    const outer = waiting.filter((one) => one.nesting === data.nesting - 1 && one.line <= data.line);
    const parent = outer.sort((a, b) => a.line - b.line).at(-1);
    if (parent) parent.hasChildren = true;
    const entry = { ...data, word: this.wordAt(data), path: [...(parent?.path ?? []), data.name] };
    waiting.push(entry);
    if (entry.word === 'test' && !this.filtered) this.begin(entry);
  }

  begin(entry) {
    const { file, line, path: names } = entry;
    const id = `${this.report.relative(file)}::${names.join(' > ')}`;
    entry.number = this.report.start({ id, name: names.join(' > '), file, line });
    this.wanted.delete(id);
  }

  // Node 20 does not say whether a suite or a test begins: the source does, at the place of the call.
  wordAt({ file, line, column, type }) {
    if (type) return type;
    if (!this.sources.has(file)) this.sources.set(file, linesOf(file));
    const call = (this.sources.get(file)[line - 1] ?? '').slice(column - 1);
    if (/^(?:[\w$]+\.)*(?:it|test)\b/.test(call)) return 'test';
    return /^(?:[\w$]+\.)*(?:describe|suite)\b/.test(call) ? 'suite' : '';
  }

  result(data, failed) {
    if (isFile(data)) {
      this.fileResult(data, failed);
      return;
    }
    const file = this.file(data.file);
    file.children += 1;
    const entry = this.entryOf(file, data);
    entry.path = this.names.slice(0, data.nesting + 1);
    if (data.details.type === 'suite') this.suiteResult(data, failed);
    else if (data.skip === FILTERED) this.deselected += 1;
    else this.testResult(entry, data, failed);
  }

  entryOf(file, data) {
    const same = (one) => one.name === data.name && one.nesting === data.nesting
      && one.line === data.line && one.column === data.column;
    const found = file.waiting.findIndex(same);
    return found < 0 ? { ...data } : file.waiting.splice(found, 1)[0];
  }

  suiteResult(data, failed) {
    const error = data.details.error;
    if (!failed || data.todo || error?.failureType === 'subtestsFailed') return;
    const late = /after/.test(error?.message);
    const kind = error?.failureType !== 'hookFailed' ? 'collection' : late ? 'teardown' : 'setup';
    this.report.raised(kind, causeOf(error), { file: data.file, line: data.line });
  }

  testResult(entry, data, failed) {
    if (entry.number === undefined) this.begin(entry);
    const error = failed ? causeOf(data.details.error) : undefined;
    const reason = [data.skip, data.todo].find((word) => typeof word === 'string' && word) ?? '';
    let [status, detail] = [failed ? 'fail' : 'pass', ''];
    if (data.skip !== undefined && data.skip !== false) [status, detail] = ['skip', reason];
    else if (data.todo !== undefined && data.todo !== false) {
      [status, detail] = ['skip', ['todo', reason, failed && 'it failed'].filter(Boolean).join(': ')];
    } else if (failed && data.details.error?.failureType === 'hookFailed') [status, detail] = ['error', data.details.error.message];
    this.report.end(entry.number, status, data.details.duration_ms / 1000, { detail, error });
  }

  // A file without tests is a test itself: node counts it, and its exit code decides.
  fileResult(data, failed) {
    const file = this.file(data.file);
    file.said = this.said;
    this.said = '';
    if (failed) this.fileFailed(file, data);
    else if (!file.children) {
      const name = this.report.relative(data.file);
      const number = this.report.start({ id: name, name, file: data.file });
      this.report.end(number, 'pass', data.details.duration_ms / 1000);
    }
  }

  fileFailed(file, data) {
    this.filesFailed += 1;
    for (const entry of file.waiting) {
      if (entry.number === undefined && entry.word !== 'suite' && !entry.hasChildren) this.begin(entry);
    }
    const { exitCode, signal, failureType } = data.details.error ?? {};
    const where = { file: data.file, trace: file.stderr };
    if (failureType === 'testTimeoutFailure') this.report.problem('stopped', causeOf(data.details.error).message, where);
    else if (signal) this.report.problem('worker', `${this.report.relative(data.file)} was killed by ${signal}`, where);
    else if (exitCode === beside.CUT_SHORT) {
      this.report.problem('stopped', `process.exit(0) was called before the tests of ${this.report.relative(data.file)} had ended`, where);
    } else this.fileBroken(file, data, where);
  }

  fileBroken(file, data, where) {
    const text = plain(file.stderr);
    const exitCode = data.details.error?.exitCode;
    const message = /^\w*(?:Error|Exception)\b.*$/m.exec(text)?.[0] ?? file.said;
    const missing = /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|^SyntaxError/m.test(text) && !file.children;
    const [named, line] = placeIn(text, this.report.root);
    const rest = lineOf(text, data.file) || lineOf(file.said, this.report.relative(data.file));
    const own = named === this.report.relative(data.file) ? line : rest;
    this.report.problem(missing ? 'import' : 'unhandled', message || `the file ended with exit code ${exitCode}`, {
      ...where, line: own, trace: text || file.said, fatal: missing,
    });
  }

  finish() {
    for (const id of this.wanted) this.report.problem('usage', `there is no test ${id}`);
    if (this.deselected) this.report.collected(this.report.total, this.deselected);
    const { tests, pass, skipped, todo } = this.numbers;
    if ([tests, pass, skipped, todo].includes(undefined)) {
      this.report.problem('report', 'node --test ended without its totals');
    }
    const total = tests - this.filesFailed - this.deselected;
    this.report.finish({ total, pass, skip: skipped + todo - this.deselected });
  }
}

function isFile({ nesting, name, file, line, column }) {
  return nesting === 0 && line === 1 && column === 1 && file !== undefined && path.resolve(name) === file;
}

// Node wraps what a test threw; a text alone is the runner's own message.
function causeOf(error) {
  const cause = error?.cause;
  if (cause && typeof cause === 'object' && cause.message !== undefined) return cause;
  return { name: 'Error', message: String(cause ?? error?.message ?? error), stack: error?.stack };
}

// A syntax error names its place in the first line: "/path/file.js:3".
function lineOf(text, file) {
  const at = text.indexOf(`${file}:`);
  return at < 0 ? 0 : Number(/^\d+/.exec(text.slice(at + file.length + 1))?.[0] ?? 0);
}

function linesOf(file) {
  try {
    return fs.readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

export default async function* proctor(source) {
  const reporter = new Reporter();
  for await (const event of source) reporter.take(event);
  reporter.finish();
}
