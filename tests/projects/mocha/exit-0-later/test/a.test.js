const assert = require('node:assert');
it('one', () => {});
it('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
it('never runs', () => {});
