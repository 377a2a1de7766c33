test('one', () => {});
test('two', () => {});
