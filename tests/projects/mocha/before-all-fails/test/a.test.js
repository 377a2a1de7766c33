const assert = require('node:assert');
describe('suite', () => {
  before(() => { throw new Error('no database'); });
  it('one', () => {});
});
describe('other', () => { it('two', () => {}); });
