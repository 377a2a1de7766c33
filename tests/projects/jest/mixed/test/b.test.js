describe('b', () => {
  it('four', () => {});
  it('five', () => { expect(2).toBe(5); });
});
