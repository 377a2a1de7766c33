const assert = require('node:assert');
it('fails', () => { assert.strictEqual(1, 2); });
it('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
