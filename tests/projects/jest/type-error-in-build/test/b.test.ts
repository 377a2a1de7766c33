const x: number = 1;
test('two', () => { expect(x).toBe(1); });
