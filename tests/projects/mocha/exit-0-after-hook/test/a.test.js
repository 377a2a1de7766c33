const assert = require('node:assert');
after(() => { process.exit(0); });
it('fails', () => { assert.strictEqual(1, 2); });
