const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('fails', () => { assert.strictEqual(1, 2); });
test('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
