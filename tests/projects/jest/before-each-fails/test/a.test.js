describe('suite', () => {
  beforeEach(() => { throw new Error('no database'); });
  it('one', () => {});
});
