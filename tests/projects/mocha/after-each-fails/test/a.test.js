const assert = require('node:assert');
describe('suite', () => {
  afterEach(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
