const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
describe('suite', () => {
  afterEach(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
