const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
describe('a', () => {
  describe('b', () => {
    describe('c', () => {
      it('deep', () => {});
    });
    it('middle', () => {});
  });
  it('top', () => {});
});
