const assert = require('node:assert');
describe('b', () => {
  it('four', () => {});
  it('five', () => { assert.strictEqual(2, 5); });
});
