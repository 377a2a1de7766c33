test('one', () => {});
test.skip('two', () => {});
test('three', () => { throw new Error('boom'); });
