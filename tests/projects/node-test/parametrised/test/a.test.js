const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
for (const [a, b, sum] of [[1, 1, 2], [1, 2, 4]]) {
  test(`${a} + ${b} is ${sum}`, () => { assert.strictEqual(a + b, sum); });
}
