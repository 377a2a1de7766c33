describe('suite', () => {
  beforeAll(() => { throw new Error('no database'); });
  it('one', () => {});
});
describe('other', () => { it('two', () => {}); });
