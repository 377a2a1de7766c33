test('one', () => { throw new Error('boom'); });
test('two', () => {});
