test('fine', () => {});
test.failing('known bug', () => { expect(1).toBe(1); });
