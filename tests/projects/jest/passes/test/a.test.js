test('one', () => {});
test('two', async () => { expect(1).toBe(1); });
