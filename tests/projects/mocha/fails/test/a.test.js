const assert = require('node:assert');
it('adds', () => { assert.strictEqual(1 + 1, 3); });
