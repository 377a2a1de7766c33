test('one', () => {});
test('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
test('never runs', () => {});
