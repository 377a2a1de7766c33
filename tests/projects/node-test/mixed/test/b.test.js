const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
describe('b', () => {
  it('four', () => {});
  it('five', () => { assert.strictEqual(2, 5); });
});
