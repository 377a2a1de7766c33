const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
after(() => { process.exit(0); });
test('fails', () => { assert.strictEqual(1, 2); });
