const assert = require('node:assert');
describe('suite', () => {
  after(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
