// Loaded into every process of `node --test`: makes an exit with code 0 in the middle of a test file seen.
//
// Node reports such a file as passed, and loses what its tests had said. A plain end of a process never comes by
// `reallyExit`, so whoever calls it before the event loop was empty has cut the file short.
'use strict';

const fs = require('node:fs');

const CUT_SHORT = 86;

module.exports = { CUT_SHORT, report: null };

if (!process.env.NODE_TEST_CONTEXT) {
  // Before the first file is started: what it inherits must not show the way to the report.
  const { Report } = require('./proctor_channel.cjs');
  module.exports.report = new Report('node:test', '');
  process.env.PROCTOR_RUNNER = String(process.pid);
} else if (Number(process.env.PROCTOR_RUNNER) === process.ppid) {
  delete process.env.PROCTOR_RUNNER; // what a test starts itself may end as it likes
  watch();
}

function watch() {
  const leave = process.reallyExit;
  let ended = process.execArgv.includes('--test-force-exit');
  process.once('beforeExit', () => { ended = true; });
  process.reallyExit = function reallyExit(code) {
    if (ended || code) return leave.call(process, code);
    try {
      fs.writeSync(2, 'proctor: process.exit(0) was called before the tests of this file had ended\n');
    } catch { /* the exit code says it too */ }
    return leave.call(process, CUT_SHORT);
  };
}
