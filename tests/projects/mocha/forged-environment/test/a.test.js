const assert = require('node:assert');
it('looks', () => { assert.strictEqual(process.env.PROCTOR_CHANNEL, undefined); });
