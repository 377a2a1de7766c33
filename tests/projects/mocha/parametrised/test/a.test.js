const assert = require('node:assert');
for (const [a, b, sum] of [[1, 1, 2], [1, 2, 4]]) {
  it(`${a} + ${b} is ${sum}`, () => { assert.strictEqual(a + b, sum); });
}
