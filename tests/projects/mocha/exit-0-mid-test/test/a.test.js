const assert = require('node:assert');
it('one', () => {});
it('quits', () => { process.exit(0); });
it('never runs', () => {});
