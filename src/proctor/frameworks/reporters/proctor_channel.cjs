// The private way from a JavaScript test runner to Proctor, shared by its reporters. Knows no framework.
//
// Each event is one line of JSON in one write to a file open for appending, with a running number `n`, a kind `e`:
//
// header     format, tool, version, runtime
// problem    kind, message, file, line, trace, fatal
// note       message
// collected  total, deselected (several add up)
// start      id, name, file, line, attempt
// end        of (`n` of its start), s (status), t (seconds); where there is something to say: line, detail, out,
//            err, trace, checks [[description, expected, actual, message]], retried
// done       code, total, counts (what the tool itself counted), crc (of all bytes before). Always the last line.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const util = require('node:util');
const zlib = require('node:zlib');

const LONG = 1024 * 1024;
const SHORT = 64 * 1024;
const VALUE = 16 * 1024;
const ANSI = /\u001b\[[0-9;:]*[A-Za-z]/g;

// Returns a text with its middle cut out if it is too long, and without lone surrogates.
function clean(value, limit = SHORT) {
  let text = typeof value === 'string' ? value : String(value ?? '');
  if (text.length > limit) {
    const half = limit / 2;
    text = `${text.slice(0, half)}\n[... ${text.length - limit} characters cut ...]\n${text.slice(-half)}`;
  }
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

// Returns a text of an error without the colours that tools put into it.
function plain(value, limit = SHORT) {
  return clean(String(value ?? '').replace(ANSI, ''), limit);
}

// Shows a compared value as text, bounded; a value that refuses to be shown is no reason to fail.
function show(value) {
  try {
    const options = { depth: 4, maxArrayLength: 100, maxStringLength: VALUE };
    return plain(typeof value === 'string' ? value : util.inspect(value, options), VALUE);
  } catch {
    return '';
  }
}

// The place in the project that a stack trace names first: [file, line]. Some tools make its paths relative.
function placeIn(stack, root) {
  for (const line of String(stack ?? '').split('\n').slice(0, 200)) {
    const found = /\(([^()]+):(\d+):\d+\)\s*$/.exec(line) ?? /^\s*at (?:async )?([^()]+):(\d+):\d+\s*$/.exec(line)
      ?? /^(\/[^:]+):(\d+)(?::\d+)?\s*$/.exec(line);
    if (!found || found[1].startsWith('node:')) continue;
    const file = path.resolve(root, found[1].replace(/^file:\/\//, ''));
    if (file.startsWith(`${root}/`) && !file.includes('/node_modules/')) {
      return [path.relative(root, file), Number(found[2])];
    }
  }
  return ['', 0];
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32ByTable(data, start) {
  let value = ~start >>> 0;
  for (const byte of data) value = (value >>> 8) ^ TABLE[(value ^ byte) & 255];
  return ~value >>> 0;
}

const crc32 = zlib.crc32 ?? crc32ByTable; // Node has its own from 20.15 on

// Takes the channel out of reach of children: out of the environment, and closed on exec where it may be reopened.
function openChannel() {
  const named = process.env.PROCTOR_CHANNEL;
  delete process.env.PROCTOR_CHANNEL;
  if (!named) return -1;
  const inherited = Number(named);
  try {
    const own = fs.openSync(`/proc/self/fd/${inherited}`, fs.constants.O_WRONLY | fs.constants.O_APPEND);
    fs.closeSync(inherited);
    return own;
  } catch {
    return inherited; // the sandbox lets no file be opened by that name: children do not know its number
  }
}

// Writes the events of one run. Nobody but the process that opened the channel has one that writes.
class Report {
  constructor(tool, version) {
    this.root = process.cwd();
    this.descriptor = openChannel();
    this.number = 0;
    this.crc = 0;
    this.total = 0;
    this.bad = 0;
    this.problems = 0;
    this.running = false;
    this.counts = null;
    this.explain = null; // (code) => what made the tool end with it, though no test failed
    this.event('header', { format: 1, tool, version: clean(version), runtime: `Node.js ${process.version}` });
    this.watchTheEnd();
  }

  // The exit code is final only after all others who listen for the exit: some tools set it there.
  watchTheEnd() {
    const leave = (code) => this.leave(Number(process.exitCode ?? code));
    process.on('exit', leave);
    process.on('newListener', (name, listener) => {
      if (name !== 'exit' || listener === leave) return;
      process.nextTick(() => process.removeListener('exit', leave).on('exit', leave));
    });
    process.on('uncaughtExceptionMonitor', (error) => {
      const handled = process.listenerCount('uncaughtException') && this.counts === null;
      if (!handled) this.raised('unhandled', error);
    });
  }

  event(kind, fields) {
    const number = this.number++;
    let line = Buffer.from(`${JSON.stringify({ n: number, e: kind, ...fields })}\n`);
    this.crc = crc32(line, this.crc);
    try {
      while (line.length && this.descriptor >= 0) line = line.subarray(fs.writeSync(this.descriptor, line));
    } catch {
      this.descriptor = -1; // what is missing shows that it is: there will be no "done"
    }
    return number;
  }

  note(message) {
    this.event('note', { message: plain(message) });
  }

  problem(kind, message, more = {}) {
    const { file = '', line = 0, trace = '', fatal = false } = more;
    const texts = { message: plain(message), file: this.relative(file), trace: plain(trace, LONG) };
    this.problems += 1;
    this.event('problem', { kind, ...texts, line: line || 0, fatal });
  }

  // A problem that is told by an error: its place is the first line of its stack that lies in the project.
  raised(kind, error, more = {}) {
    const stack = String(error?.stack ?? '');
    const [file, line] = placeIn(stack, this.root);
    const place = more.file && this.relative(more.file) !== file ? {} : { file, line };
    this.problem(kind, error?.message ? `${error.name ?? 'Error'}: ${error.message}` : String(error), {
      trace: stack, ...place, ...more,
    });
  }

  collected(total, deselected = 0) {
    this.event('collected', { total, deselected });
  }

  start({ id, name, file, line = 0, attempt = 1 }) {
    const texts = { id: clean(id, LONG), name: clean(name, LONG), file: this.relative(file) };
    return this.event('start', { ...texts, line: line || 0, attempt });
  }

  end(number, status, seconds, more = {}) {
    if (!more.retried) this.total += 1;
    if (!more.retried && (status === 'fail' || status === 'error')) this.bad += 1;
    const known = { of: number, s: status, t: Number.isFinite(seconds) ? seconds : 0 };
    if (more.line) known.line = more.line;
    if (more.detail) known.detail = plain(more.detail);
    if (more.out) known.out = clean(more.out, LONG);
    if (more.retried) known.retried = true;
    this.event('end', { ...known, ...(more.error ? failure(more.error) : {}) });
  }

  // The tool's own report is at its end; `counts` is what the tool counted, by our statuses.
  finish(counts) {
    this.counts = counts;
  }

  leave(code) {
    if (this.counts === null) {
      if (this.running) {
        this.problem('stopped', `the process was ended with exit code ${code} before its tests had ended`);
      }
      return;
    }
    const why = code && !this.bad && !this.problems && this.total ? this.explain?.() : '';
    if (why) this.problem('unhandled', why);
    this.event('done', { code, total: this.total, counts: this.counts, crc: this.crc });
  }

  relative(file) {
    const name = clean(file ?? '', LONG).replace(/^file:\/\//, '');
    return path.isAbsolute(name) ? path.relative(this.root, name) : name;
  }
}

// What an error of a test says: {err, trace, checks}.
function failure(error) {
  const known = { err: plain(error?.message ?? error), trace: plain(error?.stack, LONG) };
  if (error && typeof error === 'object' && ('expected' in error || 'actual' in error)) {
    known.checks = [[plain(error.operator ?? ''), show(error.expected), show(error.actual), known.err]];
  }
  return known;
}

// Options that only our reporters understand travel in one variable, out of the way of the tool's own.
function wishes() {
  const text = process.env.PROCTOR_WISHES;
  delete process.env.PROCTOR_WISHES;
  return text ? JSON.parse(text) : {};
}

module.exports = { Report, clean, failure, placeIn, plain, show, wishes };
