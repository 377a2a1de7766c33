test('quits', () => { process.exit(0); });
