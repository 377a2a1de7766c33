describe('suite', () => {
  afterAll(() => { throw new Error('cannot clean up'); });
  it('one', () => {});
});
