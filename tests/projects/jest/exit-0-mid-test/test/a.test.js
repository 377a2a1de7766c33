test('one', () => {});
test('quits', () => { process.exit(0); });
test('never runs', () => {});
