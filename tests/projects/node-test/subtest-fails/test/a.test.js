const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('outer', async (t) => {
  await t.test('good', () => {});
  await t.test('bad', () => { assert.strictEqual(1, 2); });
});
