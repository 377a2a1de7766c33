const assert = require('node:assert');
it('one', () => {});
it('two', async () => { assert.strictEqual(1, 1); });
