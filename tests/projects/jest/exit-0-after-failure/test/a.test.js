test('fails', () => { expect(1).toBe(2); });
test('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
