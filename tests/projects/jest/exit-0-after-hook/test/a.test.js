afterAll(() => { process.exit(0); });
test('fails', () => { expect(1).toBe(2); });
