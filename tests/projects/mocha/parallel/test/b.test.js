const assert = require('node:assert');
it('two', () => { assert.strictEqual(1, 2); });
